package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.config.Setting;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Holds the declarations against what the code does. */
class TmSettingsTest {

  @Test
  void theDeclaredDefaultsAreTheOnesOfTheCode() {
    TransactionManagerConfig defaults = TransactionManagerConfig.builder().build();
    for (Setting<?> property : TmSettings.ALL) {
      assertThat(read(property.name(), property.defaultText()))
          .as(property.name())
          .isEqualTo(defaults);
    }
  }

  @Test
  void theDeclaredLimitsAreTheOnesOfTheCode() {
    for (Setting<?> property : TmSettings.ALL) {
      for (String limit : List.of(property.lowest(), property.highest())) {
        if (!limit.isEmpty()) {
          assertIsInRange(property, limit);
        }
      }
      if (!property.lowest().isEmpty()) {
        assertIsRefused(property, beyond(property.lowest(), -1));
      }
      if (!property.highest().isEmpty()) {
        assertIsRefused(property, beyond(property.highest(), 1));
      }
      if (!property.choices().isEmpty()) {
        assertIsRefused(property, "something");
        property.choices().forEach(choice -> assertIsInRange(property, choice));
      }
    }
  }

  @Test
  void anUnknownPropertyIsRefusedWithTheNearestOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("lampone.tm.lease.durations", "2s"))
        .withMessageContaining("did you mean lampone.tm.lease.duration?");
  }

  /** The value by itself may still not fit to another property's default; then that is named. */
  private static void assertIsInRange(Setting<?> property, String value) {
    assertThatCode(
            () -> {
              try {
                read(property.name(), value);
              } catch (IllegalArgumentException e) {
                if (e.getMessage().contains("name=" + property.name() + " ")
                    && !e.getMessage().contains("legal=at least lease.duration")
                    && !e.getMessage().contains("legal=with timestamps.ahead")) {
                  throw e;
                }
              }
            })
        .as(property.name() + "=" + value)
        .doesNotThrowAnyException();
  }

  private static void assertIsRefused(Setting<?> property, String value) {
    assertThatIllegalArgumentException()
        .as(property.name() + "=" + value)
        .isThrownBy(() -> read(property.name(), value))
        .withMessageContaining("name=" + property.name());
  }

  private static String beyond(String limit, int step) {
    String unit = limit.replaceAll("[-0-9]", "");
    return Long.parseLong(limit.substring(0, limit.length() - unit.length())) + step + unit;
  }

  private static TransactionManagerConfig read(String name, String value) {
    Properties properties = new Properties();
    properties.setProperty(name, value);
    return TransactionManagerConfig.fromProperties(properties);
  }
}
