package io.lampone.client.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.client.LamponeClientConfig;
import io.lampone.protocol.config.Setting;
import io.lampone.tmclient.ClientProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Holds the declarations against what the code does. */
class ClientSettingsTest {

  private static final String MANAGER_TIMEOUT = "lampone.client.manager.timeout";

  /** What this module reads, whoever declares it. */
  private static final List<Setting<?>> READ_HERE =
      Stream.concat(
              ClientSettings.ALL.stream(),
              ClientProperties.ALL.stream()
                  .filter(property -> property.name().equals(MANAGER_TIMEOUT)))
          .toList();

  @Test
  void theDeclaredLimitsAreTheOnesOfTheCode() {
    for (Setting<?> property : READ_HERE) {
      List<String> allowed = new ArrayList<>(List.of(property.lowest(), property.highest()));
      allowed.removeIf(String::isEmpty);
      for (String limit : allowed) {
        assertThatCode(() -> read(property.name(), limit))
            .as(property.name() + "=" + limit)
            .doesNotThrowAnyException();
      }
      if (!property.lowest().isEmpty()) {
        assertRefused(property, beyond(property.lowest(), -1));
      }
      if (!property.highest().isEmpty()) {
        assertRefused(property, beyond(property.highest(), 1));
      }
    }
  }

  @Test
  void anUnknownPropertyIsRefusedWithTheNearestOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("lampone.client.bufer.bytes", "1"))
        .withMessageContaining("did you mean lampone.client.buffer.bytes?");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("lampone.client.manager.principle", "shop"))
        .withMessageContaining("did you mean lampone.client.manager.principal?");
  }

  private static void assertRefused(Setting<?> property, String value) {
    assertThatIllegalArgumentException()
        .as(property.name() + "=" + value)
        .isThrownBy(() -> read(property.name(), value))
        .withMessageContaining(property.name());
  }

  private static String beyond(String limit, int step) {
    String unit = limit.replaceAll("[-0-9]", "");
    return Long.parseLong(limit.substring(0, limit.length() - unit.length())) + step + unit;
  }

  private static LamponeClientConfig read(String name, String value) {
    Configuration configuration = new Configuration(false);
    configuration.set(name, value);
    return LamponeClientConfig.from(configuration);
  }
}
