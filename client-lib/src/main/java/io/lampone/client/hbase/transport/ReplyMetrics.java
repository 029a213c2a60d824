package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the replies of region servers by kind of request and result. Thread-safe. */
public final class ReplyMetrics {

  /** Requests whose reply is the state of a transaction in a row. */
  public enum Kind {
    FLUSH,
    COMMIT_LEADER,
    ABORT_LEADER,
    FINISH_LEADER,
    HEAL,
    POST_COMMIT,
    READ_LEADER,
    RESOLVE
  }

  /** Requests whose reply is an operation's outcome. */
  private enum FastKind {
    FAST_WRITE,
    ONE_REGION_COMMIT,
    LOOK_UP_OPERATION
  }

  private static final int STATES = TransactionState.values().length + 1;

  /** Counts by kind, by state (first: no such cell), and by whether the row was changed. */
  private final LongAdder[] states = adders(Kind.values().length * STATES * 2);

  private final LongAdder[] fast =
      adders(FastKind.values().length * FastReply.Kind.values().length);

  private final LongAdder[] refusals = adders(Refusal.Code.values().length);

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    for (int i = 0; i < count; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  /** Counts the outcomes of a request. */
  public List<Outcome> count(Kind kind, List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      count(kind, outcome);
    }
    return outcomes;
  }

  /** Counts one outcome. */
  public Outcome count(Kind kind, Outcome outcome) {
    int state = outcome.state().map(each -> each.ordinal() + 1).orElse(0);
    states[(kind.ordinal() * STATES + state) * 2 + (outcome.applied() ? 1 : 0)].increment();
    return outcome;
  }

  /** Counts the outcomes of a request with autocommitted writes, or of a lookup. */
  public void count(RegionRequest request, FastReply reply) {
    FastKind kind =
        request instanceof OneRegionCommit
            ? FastKind.ONE_REGION_COMMIT
            : request instanceof OperationLookup ? FastKind.LOOK_UP_OPERATION : FastKind.FAST_WRITE;
    for (FastReply.Outcome outcome : reply.outcomes()) {
      fast[kind.ordinal() * FastReply.Kind.values().length + outcome.kind().ordinal()].increment();
    }
  }

  /** Counts a failure if it is a refusal. */
  <T extends Throwable> T count(T failure) {
    if (failure instanceof StoreRefusedException refused) {
      refusals[refused.refusal().code().ordinal()].increment();
    }
    return failure;
  }

  /** Returns the counts above zero by name: {@code refused.busy}, {@code heal.committed}. */
  SortedMap<String, Long> snapshot() {
    SortedMap<String, Long> counts = new TreeMap<>();
    for (Kind kind : Kind.values()) {
      for (int state = 0; state < STATES; state++) {
        String name =
            name(kind) + "." + (state == 0 ? "absent" : name(TransactionState.values()[state - 1]));
        int index = (kind.ordinal() * STATES + state) * 2;
        put(counts, name + ".unchanged", states[index]);
        put(counts, name, states[index + 1]);
      }
    }
    for (FastKind kind : FastKind.values()) {
      for (FastReply.Kind outcome : FastReply.Kind.values()) {
        put(
            counts,
            name(kind) + "." + name(outcome),
            fast[kind.ordinal() * FastReply.Kind.values().length + outcome.ordinal()]);
      }
    }
    for (Refusal.Code code : Refusal.Code.values()) {
      put(counts, "refused." + name(code), refusals[code.ordinal()]);
    }
    return counts;
  }

  private static void put(SortedMap<String, Long> counts, String name, LongAdder adder) {
    long count = adder.sum();
    if (count > 0) {
      counts.put(name, count);
    }
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
