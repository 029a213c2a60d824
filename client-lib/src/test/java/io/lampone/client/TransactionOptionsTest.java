package io.lampone.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

/** Options of the attempts of {@code run}. */
final class TransactionOptionsTest {

  private static final ConflictException CONFLICT =
      new ConflictException(1, new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")), 2);

  /** Another start timestamp at hand is below the winner, too. */
  @Test
  void afterAConflict_anAttemptTakesANewSnapshot() {
    for (Freshness freshness : Freshness.values()) {
      TransactionOptions options = TransactionOptions.DEFAULT.withFreshness(freshness);
      assertThat(options.after(CONFLICT)).isEqualTo(TransactionOptions.DEFAULT);
      assertThat(options.after(new UncheckedIOException(CONFLICT)))
          .isEqualTo(TransactionOptions.DEFAULT);
      assertThat(options.after(new IOException("overloaded"))).isEqualTo(options);
    }
  }
}
