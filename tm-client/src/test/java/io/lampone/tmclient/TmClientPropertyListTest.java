package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.config.Property;
import org.junit.jupiter.api.Test;

/** Holds the declarations against what the code does. */
class TmClientPropertyListTest {

  @Test
  void everyPropertyIsDeclaredOnce() {
    assertThat(TmClientPropertyList.ALL)
        .extracting(Property::name)
        .containsExactlyInAnyOrderElementsOf(ClientProperties.names());
  }

  @Test
  void theDeclaredDefaultsAreTheOnesOfTheCode() {
    TransactionManagerClientConfig defaults = TransactionManagerClientConfig.builder().build();
    for (Property property : TmClientPropertyList.ALL) {
      if (property.type() != Property.Type.FILE) {
        assertThat(read(property, property.defaultValue())).as(property.name()).isEqualTo(defaults);
      }
    }
  }

  @Test
  void theDeclaredLimitsOfNumbersAreTheOnesOfTheCode() {
    for (Property property : TmClientPropertyList.ALL) {
      if (property.type() == Property.Type.COUNT) {
        assertThatCode(() -> read(property, property.lowest())).doesNotThrowAnyException();
        assertThatCode(() -> read(property, property.highest())).doesNotThrowAnyException();
        assertRefused(property, Long.toString(Long.parseLong(property.lowest()) - 1));
        assertRefused(property, Long.toString(Long.parseLong(property.highest()) + 1));
      } else if (property.type() == Property.Type.DURATION) {
        assertThatCode(() -> read(property, property.lowest())).doesNotThrowAnyException();
        assertRefused(property, "0ms");
      }
    }
  }

  private static void assertRefused(Property property, String value) {
    assertThatIllegalArgumentException()
        .as(property.name() + "=" + value)
        .isThrownBy(() -> read(property, value))
        .withMessageContaining("name=" + property.name());
  }

  private static TransactionManagerClientConfig read(Property property, String value) {
    return ClientProperties.read(name -> name.equals(property.name()) ? value : null).build();
  }
}
