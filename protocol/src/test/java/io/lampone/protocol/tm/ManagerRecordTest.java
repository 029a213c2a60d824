package io.lampone.protocol.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.ProofsFrom;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ManagerRecordTest {

  private static final ManagerRecord RECORD =
      new ManagerRecord(
          3,
          "me-1",
          "host:7733",
          17,
          2000,
          false,
          1L << 60,
          1L << 59,
          1L << 58,
          Optional.empty(),
          Optional.empty());

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

  /** ZooKeeper has no data for a znode that was created without. */
  @Test
  void aZnodeWithoutDataIsRefused() {
    assertThatThrownBy(() -> ManagerRecord.decode(null)).isInstanceOf(MalformedException.class);
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

  @Test
  void aSuccessionIsTwoLinesMoreAndWhoeverDoesNotKnowThemReadsTheRest() {
    ManagerRecord handedOver =
        new ManagerRecord(
            3,
            "me-1",
            "",
            18,
            2000,
            true,
            1L << 60,
            1L << 59,
            1L << 58,
            Optional.of(new SuccessorRecord("you-2", "me-1#1")),
            Optional.empty());
    String text = Bytes.of(handedOver.encode()).toUtf8();
    assertThat(text).endsWith("safePoint=288230376151711744\nsuccessor=you-2\nhandOver=me-1#1\n");
    assertThat(ManagerRecord.decode(handedOver.encode())).isEqualTo(handedOver);
    ManagerRecord proved =
        handedOver.withProofsFrom(
            Optional.of(new ProofsFrom(256, new Tag(0x0102030405060708L, 9))));
    assertThat(Bytes.wrap(proved.encode()).toUtf8())
        .isEqualTo(text + "proofsFrom=256 01020304050607080000000000000009\n");
    assertThat(ManagerRecord.decode(proved.encode())).isEqualTo(proved);
    for (String bad : List.of("", "256", "256 01", "x 01020304050607080000000000000009")) {
      byte[] wrong = Bytes.utf8(text + "proofsFrom=" + bad + "\n").toArray();
      assertThatThrownBy(() -> ManagerRecord.decode(wrong)).isInstanceOf(MalformedException.class);
    }
    // What an older reader does with lines that it does not know, this one does too.
    assertThat(ManagerRecord.decode(Bytes.utf8(text + "later=1\n").toArray()))
        .isEqualTo(handedOver);
    assertThatThrownBy(
            () -> ManagerRecord.decode(Bytes.utf8(text.replace("handOver=me-1#1\n", "")).toArray()))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void aMemberIsReadAsItWasWritten() {
    Member member = new Member("host:1/uuid", "host:1", 5, "0.1.0");
    assertThat(Bytes.of(member.encode()).toUtf8())
        .isEqualTo("format=1\nholder=host:1/uuid\naddress=host:1\nsinceMillis=5\nversion=0.1.0\n");
    assertThat(Member.decode(member.encode())).isEqualTo(member);
    assertThat(member.znode()).isEqualTo("host:1_uuid");
    assertThatThrownBy(() -> Member.decode(Bytes.utf8("format=1\n").toArray()))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> Member.decode(Bytes.utf8("format=2\n").toArray()))
        .isInstanceOf(MalformedException.class);
  }
}
