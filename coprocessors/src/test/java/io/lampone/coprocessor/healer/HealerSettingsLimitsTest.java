package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.Setting.Type;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Holds the declarations against what the code does. */
final class HealerSettingsLimitsTest {

  @Test
  void theDeclaredLimitsAreTheOnesOfTheCode() {
    for (Setting<?> property : HealerSettings.ALL) {
      for (String limit : List.of(property.lowest(), property.highest())) {
        if (!limit.isEmpty()) {
          assertThatCode(() -> read(property.name(), limit))
              .as(property.name() + "=" + limit)
              .doesNotThrowAnyException();
        }
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
  void whatCannotBeReadIsNamed() {
    for (Setting<?> property : HealerSettings.ALL) {
      assertRefused(property, property.type() == Type.BOOLEAN ? "yes" : "many");
    }
  }

  private static void assertRefused(Setting<?> property, String value) {
    assertThatIllegalArgumentException()
        .as(property.name() + "=" + value)
        .isThrownBy(() -> read(property.name(), value))
        .withMessageContaining("name=" + property.name() + " value=" + value);
  }

  private static String beyond(String limit, int step) {
    String unit = limit.replaceAll("[-0-9]", "");
    return Long.parseLong(limit.substring(0, limit.length() - unit.length())) + step + unit;
  }

  private static HealerSettings read(String name, String value) {
    Configuration configuration = new Configuration(false);
    configuration.set(name, value);
    return HealerSettings.from(configuration);
  }
}
