package io.lampone.coprocessor.core.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import java.nio.ByteBuffer;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** How many rows of usual tables find places of their own. */
class RowMemoryTest {

  private static final int PLACES = 1 << 15;
  private static final int ROWS = 4_000;

  /** Of 4,000 rows in 32,768 places, 6 % lose theirs to another one by chance. */
  private static final int EXPECTED = ROWS * 92 / 100;

  @Test
  void rowsWithConsecutiveNumbersAsKeysHavePlacesOfTheirOwn() {
    assertThat(remembered(id -> number(Long.MIN_VALUE + id))).isGreaterThan(EXPECTED);
    assertThat(remembered(id -> Bytes.utf8("%04d".formatted(id)))).isGreaterThan(EXPECTED);
    assertThat(remembered(id -> Bytes.utf8("user" + id))).isGreaterThan(EXPECTED);
  }

  private static int remembered(LongFunction<Bytes> key) {
    RowMemory<Long>.OfRegion rows = new RowMemory<Long>(PLACES).regionOpened();
    for (long id = 0; id < ROWS; id++) {
      rows.put(key.apply(id), id);
    }
    int found = 0;
    for (long id = 0; id < ROWS; id++) {
      Long value = rows.get(key.apply(id));
      if (value != null && value == id) {
        found++;
      }
    }
    return found;
  }

  private static Bytes number(long value) {
    return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }
}
