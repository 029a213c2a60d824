package io.lampone.coprocessor.jmx;

import java.lang.management.ManagementFactory;
import java.util.Optional;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A registration in JMX, by kind and server. A failure of it is only logged. */
public final class JmxBean implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(JmxBean.class);

  /** Only tests run several servers, or several classes of observers, in one process. */
  private static final int MOST_OF_ONE_NAME = 16;

  /** Empty if not registered. */
  private final Optional<ObjectName> name;

  private JmxBean(Optional<ObjectName> name) {
    this.name = name;
  }

  /** Registers a bean as {@code io.lampone:type=TYPE,server="SERVER"}. */
  public static JmxBean register(Object bean, String type, String server) {
    for (int number = 0; number < MOST_OF_ONE_NAME; number++) {
      try {
        ObjectName wanted =
            new ObjectName(
                "io.lampone:type="
                    + type
                    + ",server="
                    + ObjectName.quote(server)
                    + (number == 0 ? "" : ",number=" + number));
        ManagementFactory.getPlatformMBeanServer().registerMBean(bean, wanted);
        return new JmxBean(Optional.of(wanted));
      } catch (InstanceAlreadyExistsException e) {
        LOG.debug("There is a bean of this name already, type={} server={}", type, server, e);
      } catch (JMException e) {
        LOG.warn("Not shown in JMX, type={} server={}", type, server, e);
      }
    }
    return new JmxBean(Optional.empty());
  }

  @Override
  public void close() {
    if (name.isEmpty()) {
      return;
    }
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name.get());
    } catch (JMException e) {
      LOG.debug("Was not shown in JMX, name={}", name.get(), e);
    }
  }
}
