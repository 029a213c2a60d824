package io.lampone.phoenix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.protocol.Timestamps;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlConnectionPropertiesTest {

  @Test
  void aTimeIsOfIsoOrInMilliseconds() throws LamponeException {
    Instant time = Instant.parse("2026-01-31T12:00:00.250Z");
    assertThat(SqlConnectionProperties.timestamp("2026-01-31T12:00:00.250Z"))
        .isEqualTo(Timestamps.floorOf(time));
    assertThat(SqlConnectionProperties.timestamp(Long.toString(time.toEpochMilli())))
        .isEqualTo(Timestamps.floorOf(time));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yesterday",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "-5",
        "1e9",
        "99999999999999999999999",
        "9223372036854775807",
        "+999999999-12-31T23:59:59Z"
      })
  void anythingElseIsToldWithItsValue(String time) {
    assertThatThrownBy(() -> SqlConnectionProperties.timestamp(time))
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST))
        .hasMessageContaining("LamponeAsOf")
        .hasMessageContaining("value=" + time);
  }
}
