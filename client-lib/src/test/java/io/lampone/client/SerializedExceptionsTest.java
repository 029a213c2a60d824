package io.lampone.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Exceptions that frameworks send from one process to another. */
class SerializedExceptionsTest {

  private static final long START = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final RowFamily PLACE = new RowFamily("ns:t", Bytes.utf8("r"), Bytes.utf8("f"));

  @Test
  void anUnknownOutcomeKeepsItsIds() throws Exception {
    TransactionId id = new TransactionId(START, PLACE);
    CommitOutcomeUnknownException regular =
        copy(new CommitOutcomeUnknownException(id, "no answer"));
    assertThat(regular.transactionId()).contains(id);
    assertThat(regular.operations()).isEmpty();

    FastPathId operation = new FastPathId("t", Bytes.utf8("r"), new OperationId(7, 1), START);
    CommitOutcomeUnknownException fast =
        copy(new CommitOutcomeUnknownException(List.of(operation), "no answer", null));
    assertThat(fast.transactionId()).isEmpty();
    assertThat(fast.operations()).containsExactly(operation);
  }

  @Test
  void aConflictKeepsItsPlace() throws Exception {
    ConflictException copy = copy(new ConflictException(START, PLACE, START + 256));
    assertThat(copy.table()).isEqualTo("ns:t");
    assertThat(copy.row()).isEqualTo(new byte[] {'r'});
    assertThat(copy.code()).isEqualTo(LamponeException.Code.CONFLICT);
  }

  @SuppressWarnings("unchecked")
  private static <T> T copy(T exception) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(exception);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (T) in.readObject();
    }
  }
}
