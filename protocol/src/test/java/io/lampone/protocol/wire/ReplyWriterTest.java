package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The server's writer of replies against the one that takes objects. */
final class ReplyWriterTest {

  private static final long BASE = Timestamps.PLAIN_LIMIT;

  private final FrameWriter reference = new FrameWriter();
  private final ReplyWriter writer = new ReplyWriter(Proofs.OPEN);

  @Test
  void writesTheSameBytesAsTheWriterThatTakesObjects() {
    List<WireReply> replies =
        List.of(
            new WireReply.Begun(
                1, new TimestampOracle.Begin(0x100, 0x200, Proofs.OPEN.grant(0x100, 0))),
            new WireReply.Validated(
                2, new Validation.Passed(0x300, Proofs.OPEN.pass(0x100, 0x300))),
            new WireReply.Validated(3, new Validation.Conflict(4, 0x500)),
            new WireReply.Validated(4, new Validation.Refused(Validator.Reason.OVERLOADED, 6)),
            new WireReply.StatusIs(5, new Status.NotRequested()),
            new WireReply.StatusIs(6, new Status.Passed(0x700, Proofs.OPEN.pass(0x600, 0x700))),
            new WireReply.StatusIs(7, new Status.Conflict(Proofs.OPEN.voided(0x800))),
            new WireReply.StatusIs(8, new Status.Unknown(Optional.of(Proofs.OPEN.voided(0x900)))),
            new WireReply.Failed(Long.MIN_VALUE, WireReply.Failure.BAD_TIMESTAMP, 9),
            new WireReply.Validated(
                10, new Validation.Assigned(0xb00, Proofs.OPEN.pass(0xa00, 0xb00))),
            new WireReply.StatusIs(
                11, new Status.Assigned(0xb00, Optional.of(Proofs.OPEN.voided(0xa00)))),
            new WireReply.Progressed(
                12, new StartBlock(0xc00, 0xd00, 0xe00, 0, new Grant(0xe00, 0, Tag.NONE))),
            new WireReply.Reserved(13, new Validation.Voted()),
            new WireReply.Reserved(14, new Validation.Conflict(15, 0x1000)),
            new WireReply.Reserved(16, new Validation.Held(17, 0x1100)));
    reference.start(FrameKind.REPLIES);
    replies.forEach(reply -> reply.writeTo(reference));

    ByteBuffer target = ByteBuffer.allocateDirect(1000).position(7);
    writer.start(target);
    writer.failed(77, WireReply.Failure.OVERLOADED, 1); // of a frame that is given up
    target.position(7);
    writer.start(target);
    writer.begun(1, 0x100, 0x200);
    writer.passed(2, 0x100, 0x300);
    writer.conflict(3, 4, 0x500);
    writer.refused(4, Validator.Reason.OVERLOADED, 6);
    writer.statusNotRequested(5);
    writer.statusPassed(6, 0x600, 0x700);
    writer.statusConflict(7, 0x800);
    writer.statusUnknown(8, 0x900);
    writer.failed(Long.MIN_VALUE, WireReply.Failure.BAD_TIMESTAMP, 9);
    writer.assigned(10, 0xa00, 0xb00);
    writer.statusAssigned(11, 0xa00, 0xb00, true);
    writer.progress(12, 0xc00, 0xd00, 0xe00, 0);
    writer.reserved(13);
    writer.reservedConflict(14, 15, 0x1000);
    writer.reservedHeld(16, 17, 0x1100);
    int bytes = writer.finish();

    assertThat(bytes).isLessThanOrEqualTo(ReplyWriter.maxFrameBytes(replies.size()));
    assertThat(target.position(7).limit(7 + bytes).slice()).isEqualTo(reference.finish());
    assertThat(writer.count()).isEqualTo(replies.size());
    for (int type = ReplyType.BEGUN; type < ReplyType.END; type++) {
      assertThat(writer.count(type)).isEqualTo(type == 12 || type == 16 ? 0 : 1); // votes, grants
    }
    assertThat(writer.refusals(Validator.Reason.OVERLOADED)).isEqualTo(1);
    assertThat(writer.refusals(Validator.Reason.FORGOTTEN)).isZero();
  }

  /** Nothing that other clients are told lets them commit an assigned transaction. */
  @Test
  void aStatusOfAnAssignedTransactionShowsNoPass() {
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(2));
    writer.start(target);
    writer.statusAssigned(1, 0xa00, 0xb00, false);
    writer.statusInvisible(2, 0xb00);
    int bytes = writer.finish();
    assertThat(WireReply.readBatch(FrameReader.open(target.position(0).limit(bytes))))
        .containsExactly(
            new WireReply.StatusIs(1, new Status.Assigned(0xb00, Optional.empty())),
            new WireReply.StatusIs(2, new Status.Passed(0xb00, Tag.NONE)));
  }

  @Test
  void aFrameOfTheLongestRepliesFitsIntoWhatItSays() {
    int replies = 300;
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(replies));
    writer.start(target);
    for (int i = 0; i < replies; i++) {
      writer.progress(i, 1, 2, BASE + i * Timestamps.TICK, 1);
    }
    assertThat(writer.finish()).isEqualTo(target.capacity());
    assertThat(WireReply.readBatch(FrameReader.open(target.rewind()))).hasSize(replies);
  }

  /** Finding W5: what another connection began between two frames belongs to that one only. */
  @Test
  void aGrantCoversTheBeginsOfItsOwnFrameOnly() {
    Grant first = grantOfBegins(BASE + 256, BASE + 768);
    Grant another = grantOfBegins(BASE + 1024);
    Grant last = grantOfBegins(BASE + 1280, BASE + 1536);
    for (int tick : List.of(256, 768, 1024, 1280, 1536)) {
      long start = BASE + tick;
      assertThat(first.covers(start)).isEqualTo(tick <= 768);
      assertThat(another.covers(start)).isEqualTo(tick == 1024);
      assertThat(last.covers(start)).isEqualTo(tick >= 1280);
    }
    assertThat(Proofs.OPEN.verify(last)).isEqualTo(Proofs.Verdict.VALID);
  }

  /** A block of starts and a begin behind it are covered by one grant; the block is contiguous. */
  @Test
  void aGrantCoversBlocksOfStartTimestamps() {
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(3));
    writer.start(target);
    writer.progress(1, 1, 2, BASE, 0);
    writer.progress(2, 1, 2, BASE + 256, 3);
    writer.begun(3, BASE + 1024, 2);
    int bytes = writer.finish();
    List<WireReply> replies =
        WireReply.readBatch(FrameReader.open(target.position(0).limit(bytes)));
    assertThat(((WireReply.Progressed) replies.get(0)).block().last()).isEqualTo(BASE - 256);
    StartBlock block = ((WireReply.Progressed) replies.get(1)).block();
    assertThat(block.last()).isEqualTo(BASE + 768);
    assertThat(block.begin(2))
        .isEqualTo(new TimestampOracle.Begin(BASE + 768, 2, Proofs.OPEN.grant(BASE + 256, 3)));
    assertThat(block.grant().covers(BASE)).isFalse();
    assertThat(Proofs.OPEN.verify(block.grant())).isEqualTo(Proofs.Verdict.VALID);
  }

  private Grant grantOfBegins(long... starts) {
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(starts.length + 1));
    writer.start(target);
    writer.passed(1, 0, 256);
    for (long start : starts) {
      writer.begun(2, start, 256);
    }
    int bytes = writer.finish();
    target.position(0).limit(bytes);
    List<WireReply> replies = WireReply.readBatch(FrameReader.open(target));
    return ((WireReply.Begun) replies.get(replies.size() - 1)).begin().grant();
  }
}
