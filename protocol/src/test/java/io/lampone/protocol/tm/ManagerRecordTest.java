package io.lampone.protocol.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import org.junit.jupiter.api.Test;

class ManagerRecordTest {

  private static final ManagerRecord RECORD =
      new ManagerRecord(3, "me-1", "host:7733", 17, 2000, false, 1L << 60, 1L << 59, 1L << 58);

  @Test
  void theZnodeIsTextThatAPersonCanRead() {
    assertThat(Bytes.of(RECORD.encode()).toUtf8())
        .isEqualTo(
            """
            format=1
            epoch=3
            holder=me-1
            address=host:7733
            leaseSequence=17
            leaseDurationMillis=2000
            released=false
            bound=1152921504606846976
            floor=576460752303423488
            safePoint=288230376151711744
            """);
    assertThat(ManagerRecord.decode(RECORD.encode())).isEqualTo(RECORD);
  }

  @Test
  void aZnodeOfAnotherFormatOrWithALineMissingIsRefused() {
    String text = Bytes.of(RECORD.encode()).toUtf8();
    for (String bad :
        new String[] {
          "",
          "format=2\n",
          text.replace("bound=1152921504606846976\n", ""),
          text.replace("1152", "x")
        }) {
      assertThatThrownBy(() -> ManagerRecord.decode(Bytes.utf8(bad).toArray()))
          .isInstanceOf(MalformedException.class);
    }
  }
}
