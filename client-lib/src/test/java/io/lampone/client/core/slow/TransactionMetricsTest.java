package io.lampone.client.core.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Aborted.Reason;
import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.tm.HotRow;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransactionMetricsTest {

  private static final long GLOBAL = Timestamps.PLAIN_LIMIT + Timestamps.TICK;
  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));

  private final TransactionMetrics metrics = new TransactionMetrics(new HotRows(true), true);

  @Test
  void events_andOutcomes_areCountedByName() {
    for (Event event : Event.values()) {
      metrics.count(event);
    }
    end(new CommitOutcome.Committed(0));
    end(new CommitOutcome.Committed(GLOBAL));
    end(new CommitOutcome.Committed(GLOBAL + Timestamps.FIRST_FAST_PATH_LOCAL));
    end(new CommitOutcome.Committed(GLOBAL + Timestamps.FIRST_FAST_PATH_LOCAL));
    for (ConflictException.Kind kind : ConflictException.Kind.values()) {
      end(new CommitOutcome.Conflict(PLACE, GLOBAL, kind));
    }
    end(new CommitOutcome.Aborted("why", null));
    end(new CommitOutcome.Aborted(Reason.BY_OTHERS, "why", null));
    end(new CommitOutcome.Aborted(Reason.ROLLED_BACK, "why", null));
    end(new CommitOutcome.Refused("t", Refusal.of(Refusal.Code.BELOW_FLOOR, "why")));
    end(new CommitOutcome.Unknown(new TransactionId(GLOBAL, PLACE), "why", null));
    metrics.ended(Optional.empty(), 0);
    Map<String, Long> counts = metrics.snapshot();
    assertThat(counts)
        .containsEntry("begin", 1L)
        .containsEntry("begin-session", 1L)
        .containsEntry("begin-latest", 1L)
        .containsEntry("local-check", 1L)
        .containsEntry("local-check-failed", 1L)
        .containsEntry("retry", 1L)
        .containsEntry("committed.without-writes", 1L)
        .containsEntry("committed.by-intents", 1L)
        .containsEntry("committed.one-region", 2L)
        .containsEntry("conflict.write-write", 1L)
        .containsEntry("conflict.read-write", 1L)
        .containsEntry("conflict.range", 1L)
        .containsEntry("aborted.other", 1L)
        .containsEntry("aborted.by-others", 1L)
        .containsEntry("refused.below-floor", 1L)
        .containsEntry("unknown", 1L)
        .containsEntry("rolled-back", 2L);
    assertThat(counts.values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(10 + Event.values().length + ConflictException.Kind.values().length);
    assertThat(metrics.hotRows().list(0))
        .hasSize(ConflictException.Kind.values().length)
        .contains(new HotRow("read-write", "t", "r", 1, GLOBAL));
  }

  @Test
  void disabled_countsAndMeasuresNothing() {
    TransactionMetrics off = new TransactionMetrics(new HotRows(true), false);
    off.count(Event.BEGIN);
    off.took(Phase.READ, 1);
    off.ended(Optional.empty(), 0);
    assertThat(off.snapshot()).isEmpty();
    assertThat(off.latencies()).isEmpty();
    Step<Void> machine = Step.done();
    assertThat(off.measure(Phase.READ, machine)).isSameAs(machine);
  }

  private void end(CommitOutcome outcome) {
    metrics.ended(Optional.of(outcome), 0);
  }
}
