package io.lampone.coprocessor.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.fence.TableGeneration.Entry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Proofs;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class HBaseTableGenerationTest {

  private static final TableName TABLE = TableName.valueOf("ns:t");
  private static final Entry ENTRY = new Entry(1_795_000_000_000L, 0x1900000000000100L);

  private final Proofs proofs = new Proofs(key(1));

  @Test
  void anEntry_isReadByServersWithTheKey() {
    String text = HBaseTableGeneration.encode(TABLE, ENTRY, proofs);
    assertThat(HBaseTableGeneration.decode(TABLE, text, new Proofs(key(1)))).contains(ENTRY);
  }

  @Test
  void anEntryOfAnotherProgram_isAbsent() {
    String text = HBaseTableGeneration.encode(TABLE, ENTRY, proofs);
    String made = HBaseTableGeneration.encode(TABLE, ENTRY, new Proofs(key(2)));
    assertThat(HBaseTableGeneration.decode(TABLE, made, proofs)).isEmpty();
    assertThat(HBaseTableGeneration.decode(TableName.valueOf("u"), text, proofs)).isEmpty();
    assertThat(HBaseTableGeneration.decode(TABLE, "9" + text, proofs)).isEmpty();
    String lower = text.replace(" " + ENTRY.floor(), " " + (ENTRY.floor() - 256));
    assertThat(lower).isNotEqualTo(text);
    assertThat(HBaseTableGeneration.decode(TABLE, lower, proofs)).isEmpty();
  }

  @Test
  void whatIsNoEntry_isAbsent() {
    for (String text :
        new String[] {"", "1 2", "1 2 3", "x y " + "0".repeat(32), "1 2 " + "z".repeat(32)}) {
      assertThat(HBaseTableGeneration.decode(TABLE, text, proofs)).as(text).isEmpty();
    }
  }

  /** A server without keys carries out no write; its reads go on. */
  @Test
  void withoutKeys_anEntryIsTakenAsItIs() {
    Proofs none = new Proofs(term -> Optional.empty());
    String text = HBaseTableGeneration.encode(TABLE, ENTRY, proofs);
    assertThat(HBaseTableGeneration.decode(TABLE, text, none)).contains(ENTRY);
    String unproved = HBaseTableGeneration.encode(TABLE, ENTRY, none);
    assertThat(HBaseTableGeneration.decode(TABLE, unproved, proofs)).isEmpty();
  }

  private static ClusterKey key(int seed) {
    byte[] bytes = new byte[ClusterKey.BYTES];
    bytes[0] = (byte) seed;
    return new ClusterKey(Bytes.wrap(bytes));
  }
}
