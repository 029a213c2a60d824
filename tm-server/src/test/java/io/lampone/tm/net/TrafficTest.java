package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.tm.command.Traffic;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What {@code status} tells of the work done. */
final class TrafficTest {

  @Test
  void everyAnswerIsCountedUnderItsName() {
    ServerMetrics metrics = new ServerMetrics(new MetricRegistry(), SystemClock.INSTANCE);
    ReplyWriter replies = new ReplyWriter(Proofs.OPEN);
    replies.start(ByteBuffer.allocate(ReplyWriter.maxFrameBytes(8)));
    replies.begun(1, 256, 256);
    replies.begun(2, 512, 256);
    replies.passed(3, 256, 768);
    replies.conflict(4, 0, 768);
    replies.refused(5, Validator.Reason.BELOW_FLOOR, 0);
    replies.refused(6, Validator.Reason.OVERLOADED, 10);
    replies.refused(7, Validator.Reason.BELOW_FLOOR, 0);
    replies.statusConflict(8, 256);
    replies.finish();
    metrics.answered(replies);
    Traffic traffic = metrics.traffic();
    assertThat(traffic.begins().total()).isEqualTo(2);
    assertThat(traffic.validations().total()).isEqualTo(5);
    assertThat(traffic.conflicts().total()).isEqualTo(1);
    assertThat(traffic.refusals().total()).isEqualTo(3);
  }
}
