package io.lampone.testcontainers;

import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * ZooKeeper, HBase and a transaction manager in one container of the image {@code lampone}, which
 * {@code docker/build.sh} builds.
 *
 * <pre>{@code
 * try (LamponeContainer lampone = new LamponeContainer("lampone:latest")) {
 *   lampone.start();
 *   Configuration configuration = HBaseConfiguration.create();
 *   lampone.settings().forEach(configuration::set);
 *   try (LamponeClient client = LamponeClient.connect(configuration)) { ... }
 * }
 * }</pre>
 *
 * <p>HBase tells its clients the addresses of its servers. These are therefore {@code localhost},
 * with four free ports that have the same numbers inside and outside; the engine must run on this
 * machine. Nothing is asked of a client, and only this machine reaches the ports.
 */
public class LamponeContainer extends GenericContainer<LamponeContainer> {

  /** Name of the image that {@code docker/build.sh} builds. */
  public static final String DEFAULT_IMAGE = "lampone:latest";

  private static final int PORTS = 4;

  /** Below the ports that Linux gives to connections. */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 32_000;
  private static final int ATTEMPTS = 100;
  private static final Duration START = Duration.ofMinutes(3);

  private final int zooKeeperPort = freePorts();

  public LamponeContainer(String image) {
    this(DockerImageName.parse(image));
  }

  /** Creates a container of an image with the content of {@code lampone}, under any name. */
  public LamponeContainer(DockerImageName image) {
    super(image);
    withCommand(
        "quickstart",
        "--empty",
        "--data",
        "/tmp/lampone",
        "--published-port",
        String.valueOf(zooKeeperPort));
    withEnv("LAMPONE_JAVA_OPTS", "-Xmx768m");
    withCreateContainerCmdModifier(
        command -> {
          HostConfig host = command.getHostConfig();
          (host == null ? HostConfig.newHostConfig() : host)
              .withPortBindings(
                  IntStream.range(zooKeeperPort, zooKeeperPort + PORTS)
                      .mapToObj(port -> PortBinding.parse("127.0.0.1:" + port + ":" + port))
                      .toList());
        });
    withExposedPorts(
        IntStream.range(zooKeeperPort, zooKeeperPort + PORTS).boxed().toArray(Integer[]::new));
    waitingFor(Wait.forLogMessage(".*Running\\. .*", 1).withStartupTimeout(START));
  }

  /** Returns the address of ZooKeeper. */
  public String zooKeeper() {
    return "localhost:" + zooKeeperPort;
  }

  /** Returns the settings of HBase's configuration with which a client connects. */
  public Map<String, String> settings() {
    return Map.of(
        "hbase.zookeeper.quorum",
        "localhost",
        "hbase.zookeeper.property.clientPort",
        String.valueOf(zooKeeperPort),
        "hbase.client.registry.impl",
        "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
  }

  /** Returns the first of some ports that are free in a row. */
  private static int freePorts() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      if (areFree(first)) {
        return first;
      }
    }
    throw new IllegalStateException(
        "no " + PORTS + " free ports in a row, from=" + FIRST_PORT + " to=" + LAST_PORT);
  }

  private static boolean areFree(int first) {
    List<ServerSocket> taken = new ArrayList<>();
    try {
      for (int port = first; port < first + PORTS; port++) {
        taken.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
      }
      return true;
    } catch (IOException e) {
      return false; // another process has one
    } finally {
      taken.forEach(LamponeContainer::close);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
