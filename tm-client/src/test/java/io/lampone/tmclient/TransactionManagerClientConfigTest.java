package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.connect.ClientSecurity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TransactionManagerClientConfigTest {

  @Test
  void theDefaultsAreThese() {
    assertThat(TransactionManagerClientConfig.builder().build())
        .isEqualTo(
            new TransactionManagerClientConfig(
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                65_536,
                4,
                Duration.ofSeconds(1),
                ClientSecurity.NONE));
  }

  @Test
  void aValueThatDoesNotDoIsNamed() {
    assertThatThrownBy(
            () -> TransactionManagerClientConfig.builder().requestTimeout(Duration.ZERO).build())
        .hasMessageContaining("lampone.client.manager.timeout");
    assertThatThrownBy(() -> TransactionManagerClientConfig.builder().maxBatchesInFlight(0).build())
        .hasMessageContaining("lampone.client.manager.frames.in.flight");
  }
}
