package io.lampone.client.core;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Requests of fast-path reads, and the steps after they meet intents (protocol page, section 8).
 * The server picks the snapshot, one for each row. The transaction manager is not asked unless a
 * read is pointed to intents: they are resolved for the row's snapshot, and the row is read again.
 *
 * <p>Resolving begins with a fresh floor. An absent leader counts as invisible because a writer
 * that still wants to put it there is fenced off by the floor that the look at it carries [M3]; a
 * session that has only used the fast path may not know the newest one.
 *
 * <p>A read of the latest state that was pointed to intents continues as a read at a start
 * timestamp that was issued for it: the one that came with that floor (ADR 32).
 */
public final class FastReads {

  private final Session session;
  private final IntentResolver resolver;
  private final Supplier<Step<Begin>> oracle;

  public FastReads(Session session, IntentResolver resolver, Supplier<Step<Begin>> oracle) {
    this.session = session;
    this.resolver = resolver;
    this.oracle = oracle;
  }

  /** A row that cannot be shown yet: what was asked, the answer, and the intents in the way. */
  public record Blocked(FastReadRequest request, FastReadReply reply, List<Intent> pointers) {}

  /** Returns the request of a first attempt. */
  public FastReadRequest first(Wants wants) {
    return FastReadRequest.of(session.mark(), session.floor(), wants).shown(session.shown());
  }

  /** A row is about to be shown. */
  public void shows(FastReadReply reply) {
    session.heardOf(reply.snapshot(), reply.issued());
  }

  /** Returns the next requests, in the order of {@code rows}; of which there is at least one. */
  public Step<List<FastReadRequest>> resolve(List<Blocked> rows) {
    return oracle.get().then(begin -> judge(rows, begin));
  }

  private Step<List<FastReadRequest>> judge(List<Blocked> rows, Begin begin) {
    session.began(begin);
    List<Step<FastReadRequest>> judging = new ArrayList<>(rows.size());
    for (Blocked row : rows) {
      long snapshot =
          row.request().wantsAllIntents() ? begin.startTimestamp() : row.reply().snapshot();
      judging.add(
          resolver
              .resolve(row.pointers(), snapshot, begin.floor())
              .map(
                  judged -> {
                    FastReadRequest next = row.request().again(snapshot, judged);
                    // With the floor that came with the judgments [M3].
                    return new FastReadRequest(
                        next.mark(),
                        begin.floor(),
                        snapshot,
                        next.wants(),
                        next.judgments(),
                        session.shown());
                  }));
    }
    return Step.all(judging);
  }
}
