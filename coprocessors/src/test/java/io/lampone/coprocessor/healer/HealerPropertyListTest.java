package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.config.Property;
import io.lampone.protocol.config.Property.Type;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Holds the declarations against what the code does. */
final class HealerPropertyListTest {

  @Test
  void everyPropertyIsDeclaredOnce() {
    assertThat(HealerPropertyList.ALL)
        .extracting(Property::name)
        .containsExactlyInAnyOrderElementsOf(HealerSettings.names());
  }

  @Test
  void theDeclaredDefaultsAreTheOnesOfTheCode() {
    for (Property property : HealerPropertyList.ALL) {
      assertThat(read(property.name(), property.defaultValue()))
          .as(property.name())
          .isEqualTo(HealerSettings.DEFAULT);
    }
  }

  @Test
  void theDeclaredLimitsAreTheOnesOfTheCode() {
    for (Property property : HealerPropertyList.ALL) {
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
    for (Property property : HealerPropertyList.ALL) {
      assertRefused(property, property.type() == Type.BOOLEAN ? "yes" : "many");
    }
  }

  private static void assertRefused(Property property, String value) {
    assertThatIllegalArgumentException()
        .as(property.name() + "=" + value)
        .isThrownBy(() -> read(property.name(), value))
        .withMessageContaining(property.name() + "=");
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
