package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of reservations and their answers. */
final class ReservationFrameTest {

  private static final Grant GRANT = new Grant(0x0100000000000000L, 1, new Tag(10, 11));

  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor cursor = new RequestCursor(1);

  @Test
  void reservationsNeverChange() {
    WireRequest request =
        new WireRequest.Reserve(
            2,
            new Validator.Request(
                0x0100000000000000L,
                GRANT,
                false,
                new long[] {5},
                new long[] {6, 7},
                new Validator.Terms(false, false, 0x900)),
            true);
    writer.start(FrameKind.REQUESTS);
    request.writeTo(writer);
    byte[] requests = copy();
    assertThat(HexFormat.of().formatHex(requests).substring(16))
        .isEqualTo(
            "04"
                + "00000001"
                + "09"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "080000000000000002"
                + "0100000000000000"
                + "34"
                + "0000000100000002"
                + "000000000000000500000000000000060000000000000007"
                + "0000000000000900");
    assertThat(WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(requests)), 1))
        .usingRecursiveComparison()
        .isEqualTo(List.of(request));

    List<WireReply> replies =
        List.of(
            new WireReply.Reserved(2, new Validator.Validation.Voted()),
            new WireReply.Reserved(3, new Validator.Validation.Conflict(4, 0x500)),
            new WireReply.Reserved(4, new Validator.Validation.Held(5, 0x600)));
    writer.start(FrameKind.REPLIES);
    replies.forEach(reply -> reply.writeTo(writer));
    byte[] written = copy();
    assertThat(HexFormat.of().formatHex(written).substring(16))
        .isEqualTo(
            "05"
                + "00000003"
                + "0e0000000000000002"
                + "0f0000000000000003"
                + "000000040000000000000500"
                + "110000000000000004"
                + "000000050000000000000600");
    assertThat(WireReply.readBatch(FrameReader.open(ByteBuffer.wrap(written)))).isEqualTo(replies);
  }

  @Test
  void aReservationNeedsTheCapability_aGrant_andFewHashes() {
    long all = Capabilities.RESERVATIONS;
    byte[] frame = frame(FrameLayout.MAX_RESERVED);
    cursor.open(ByteBuffer.wrap(frame), all);
    assertThat(cursor.validations()).isZero();
    assertThat(cursor.recordedHashes()).isZero();
    assertThat(cursor.highestTimestamp()).isEqualTo(256);
    assertMalformed(frame, Capabilities.BUCKETS, "capability");
    assertMalformed(frame(FrameLayout.MAX_RESERVED + 1), all, "too large");
    byte[] other = frame(1);
    int flags = FrameLayout.MESSAGES_OFFSET + FrameLayout.GRANT_BYTES + FrameLayout.FLAGS_OFFSET;
    for (int wrong : new int[] {0, FrameLayout.FLAG_GRANT | FrameLayout.FLAG_FIRST_SENDING}) {
      other[flags] = (byte) wrong;
      seal(other);
      assertMalformed(other, all, "");
    }
  }

  private void assertMalformed(byte[] frame, long capabilities, String why) {
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), capabilities))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private byte[] frame(int hashes) {
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Reserve(
            1, new Validator.Request(256, GRANT, false, new long[0], new long[hashes]), false)
        .writeTo(writer);
    return copy();
  }

  private byte[] copy() {
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }

  private static void seal(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, FrameLayout.KIND_OFFSET, frame.length - FrameLayout.KIND_OFFSET);
    ByteBuffer.wrap(frame)
        .putInt(FrameLayout.LENGTH_OFFSET, frame.length - FrameLayout.HEAD_BYTES)
        .putInt(FrameLayout.CRC_OFFSET, (int) crc.getValue());
  }
}
