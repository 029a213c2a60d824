package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastWrite;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the other coprocessors of a region are asked about a request. */
class PermissionsTest {

  private static final Bytes CLOSED = Bytes.utf8(ClosedFamilyObserver.CLOSED);
  private static final Bytes F = Bytes.utf8("f");

  @TempDir private Path folder;

  /** Its sender learns the value by trying. */
  @Test
  void aColumnThatAWriteComparesMustBeReadable() throws Exception {
    try (LocalRegion region =
        new LocalRegion(folder, ClosedFamilyObserver.TABLE).with(ClosedFamilyObserver.class)) {
      Permissions permissions =
          Permissions.ofPlain(region.open(), new CoprocessorChain(region.open()));

      permissions.requireReadable(comparing(F));
      assertThatThrownBy(() -> permissions.requireReadable(comparing(CLOSED)))
          .isInstanceOf(AccessDeniedException.class);
    }
  }

  private static FastWrite comparing(Bytes family) {
    Bytes any = Bytes.utf8("any");
    return new FastWrite(
        0,
        0,
        false,
        List.of(
            new FastOperation(
                any,
                new OperationId(1, 1),
                false,
                0,
                new Compare(family, any, Operator.EQUAL, any),
                false,
                List.of(new Mutation(Kind.PUT, F, any, any)))));
  }
}
