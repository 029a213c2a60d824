package io.lampone.coprocessor.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal.Code;
import java.util.List;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Operations of plain HBase clients. */
class PlainMutationsTest {

  private static final byte[] NAME = Bytes.toBytes("n");

  /** HBase's client sends them again when an answer is lost, without a nonce. */
  @Test
  void whatCountsOnIsNotTakenBehindACondition() {
    for (Mutation mutation :
        List.of(
            new Increment(NAME).addColumn(NAME, NAME, 1),
            new Append(NAME).addColumn(NAME, NAME, NAME))) {
      assertThatThrownBy(() -> PlainMutations.requireRepeatable(mutation))
          .as(mutation.getClass().getSimpleName())
          .isInstanceOfSatisfying(
              Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.UNSUPPORTED));
    }
    for (Mutation mutation : List.of(new Put(NAME).addColumn(NAME, NAME, NAME), new Delete(NAME))) {
      assertThatCode(() -> PlainMutations.requireRepeatable(mutation)).doesNotThrowAnyException();
    }
  }
}
