package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Hold;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TransferTest {

  private static final List<Transfer> PARTS =
      List.of(
          new Transfer.Offer(7, "a#1"),
          new Transfer.Conflicts(new long[] {-1, 0x100, 2, 0x200}),
          new Transfer.Decisions(
              new long[] {0x100, 0x200}, new long[] {0x300, 0x400}, new int[] {-1, 5}),
          new Transfer.Holds(List.of(new Hold("me", "x", 0x500, 60_000))),
          new Transfer.Last(1, 2, 3, 4, 5, 6, 7),
          new Transfer.Written());

  private static final List<Transfer.Reply> REPLIES =
      List.of(
          new Transfer.Reply.Received(9),
          new Transfer.Reply.Complete(-1),
          new Transfer.Reply.Leading(8),
          new Transfer.Reply.Refused("no"));

  private final FrameWriter writer = new FrameWriter();

  @Test
  void theBytesNeverChange() {
    assertThat(PARTS.stream().map(this::hex))
        .containsExactly(
            "0c" + "01" + "0000000000000007" + "0003" + "612331",
            "0c"
                + "02"
                + "00000002"
                + "ffffffffffffffff"
                + "0000000000000100"
                + "0000000000000002"
                + "0000000000000200",
            "0c"
                + "03"
                + "00000002"
                + "0000000000000100"
                + "0000000000000300"
                + "ffffffff"
                + "0000000000000200"
                + "0000000000000400"
                + "00000005",
            "0c"
                + "04"
                + "00000001"
                + "0002"
                + "6d65"
                + "0001"
                + "78"
                + "0000000000000500"
                + "000000000000ea60",
            "0c"
                + "05"
                + "0000000000000001"
                + "0000000000000002"
                + "0000000000000003"
                + "0000000000000004"
                + "0000000000000005"
                + "0000000000000006"
                + "0000000000000007",
            "0c" + "06");
    assertThat(REPLIES.stream().map(this::hex))
        .containsExactly(
            "0d" + "01" + "0000000000000009",
            "0d" + "02" + "ffffffffffffffff",
            "0d" + "03" + "0000000000000008",
            "0d" + "04" + "0002" + "6e6f");
  }

  @Test
  void everyPartIsReadAsItWasWritten() {
    for (Transfer part : PARTS) {
      part.writeTo(writer);
      assertThat(Transfer.readFrom(FrameReader.open(writer.finish())))
          .usingRecursiveComparison()
          .isEqualTo(part);
    }
    for (Transfer.Reply reply : REPLIES) {
      reply.writeTo(writer);
      assertThat(Transfer.Reply.readFrom(FrameReader.open(writer.finish()))).isEqualTo(reply);
    }
  }

  /** The noise of {@code FrameTest} seldom gets beyond the first byte. */
  @Test
  void aPartThatIsCutOrGoesOnIsMalformed() {
    for (Transfer part : PARTS) {
      part.writeTo(writer);
      byte[] body = body();
      for (int length = 0; length < body.length; length++) {
        frame(body, length, 0);
        assertThatThrownBy(() -> Transfer.readFrom(FrameReader.open(writer.finish())))
            .isInstanceOf(MalformedException.class);
      }
      frame(body, body.length, 1);
      assertThatThrownBy(() -> Transfer.readFrom(FrameReader.open(writer.finish())))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void aCountThatTheFrameCannotHoldCostsNoMemory() {
    for (int type : new int[] {Transfer.CONFLICTS, Transfer.DECISIONS, Transfer.HOLDS}) {
      writer.start(FrameKind.TRANSFER);
      writer.u8(type).i32(Integer.MAX_VALUE);
      assertThatThrownBy(() -> Transfer.readFrom(FrameReader.open(writer.finish())))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("count exceeds frame");
    }
  }

  private void frame(byte[] body, int length, int more) {
    writer.start(FrameKind.TRANSFER);
    for (int i = 0; i < length; i++) {
      writer.u8(body[i]);
    }
    for (int i = 0; i < more; i++) {
      writer.u8(0);
    }
  }

  private byte[] body() {
    ByteBuffer frame = writer.finish();
    byte[] body = new byte[frame.remaining() - FrameLayout.BODY_OFFSET];
    frame.position(FrameLayout.BODY_OFFSET).get(body);
    return body;
  }

  private String hex(Object part) {
    if (part instanceof Transfer transfer) {
      transfer.writeTo(writer);
    } else {
      ((Transfer.Reply) part).writeTo(writer);
    }
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return HexFormat.of().formatHex(bytes).substring(2 * FrameLayout.KIND_OFFSET);
  }
}
