package io.lampone.client.hbase.read;

import io.lampone.client.core.FastReads;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.Attempt;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows by the fast path: sends what {@link FastReads} asks for, several rows at a time, until
 * no row points to an intent any more.
 */
public final class FastReader {

  /** Times that one row is read again because it points to further intents. */
  private static final int MAX_ROUNDS = 100;

  private final StoreAccess access;
  private final FastReads reads;

  public FastReader(StoreAccess access, FastReads reads) {
    this.access = access;
    this.reads = reads;
  }

  /**
   * A row as it was found.
   *
   * @param isUndecided true if an intent is in the way of an interval; the result is empty then
   */
  public record FastRow(Result result, FastReadReply reply, boolean isUndecided) {

    /** Returns the version; 0 unless it was asked for. */
    public long version() {
      return reply.version();
    }
  }

  /** Rows in the order of the gets, which have been checked. */
  public Step<List<FastRow>> read(TableName table, List<Get> gets, Wants wants) {
    if (gets.isEmpty()) {
      return Step.done(List.of());
    }
    return new Reading(table, gets, wants).start();
  }

  /** Answer of one attempt at one row. */
  private record Seen(ServerRow row, FastReadReply reply) {}

  /** One batch of gets on its way. Used by one thread after the other. */
  private final class Reading {

    private final String name;
    private final List<Get> gets;
    private final Wants wants;
    // by number of the get: what its next attempt carries
    private final FastReadRequest[] requests;
    private final @Nullable FastRow[] rows;
    private final long deadlineNanos = access.deadline();

    Reading(TableName table, List<Get> gets, Wants wants) {
      this.name = table.getNameAsString();
      this.gets = gets;
      this.wants = wants;
      this.rows = new FastRow[gets.size()];
      this.requests = new FastReadRequest[gets.size()];
      Arrays.fill(requests, reads.first(wants));
    }

    Step<List<FastRow>> start() {
      List<Integer> all = new ArrayList<>(gets.size());
      for (int i = 0; i < gets.size(); i++) {
        all.add(i);
      }
      return read(all, 0, 0).map(done -> List.of(rows));
    }

    private Get carrying(int index) {
      Get copy = new Get(gets.get(index));
      // HBase answers a bare existence check without cells: no proof could come back.
      copy.setCheckExistenceOnly(false);
      copy.setAttribute(FastReadRequest.ATTRIBUTE, requests[index].encode());
      return copy;
    }

    private Step<Void> read(List<Integer> wanted, int tries, int rounds) {
      List<Get> sent = new ArrayList<>(wanted.size());
      for (int index : wanted) {
        sent.add(carrying(index));
      }
      access.metrics().fastReads.increment();
      return Attempt.gets(access, name, sent, deadlineNanos)
          .then(ends -> afterRead(wanted, ends, tries, rounds));
    }

    private Seen seen(Result result) {
      return new Seen(ServerRow.of(name, result), Carrier.fastReadReply(result));
    }

    private Step<Void> afterRead(
        List<Integer> wanted, List<Attempt<Result>> ends, int tries, int rounds) {
      List<Integer> refused = new ArrayList<>(0);
      List<Integer> blocked = new ArrayList<>(0);
      List<Seen> unresolved = new ArrayList<>(0);
      for (int i = 0; i < ends.size(); i++) {
        int index = wanted.get(i);
        Attempt<Seen> end = ends.get(i).then(name, this::seen);
        if (end.failure().isPresent()) {
          RuntimeException failure = end.failure().get();
          if (!StoreFailures.mayRepeat(failure) || access.isOver(deadlineNanos)) {
            return Step.failed(failure);
          }
          refused.add(index);
          continue;
        }
        Seen seen = end.value();
        boolean undecided = !seen.row().pointers().isEmpty();
        if (undecided && wants != Wants.INTERVAL) {
          blocked.add(index);
          unresolved.add(seen);
          continue;
        }
        reads.shows(seen.reply());
        rows[index] =
            new FastRow(
                ReadRules.answer(gets.get(index), seen.row().cells()), seen.reply(), undecided);
      }
      if (refused.isEmpty() && blocked.isEmpty()) {
        return Step.done();
      }
      if (rounds == MAX_ROUNDS) {
        return Step.failed(
            new StoreUnavailableException(
                "a row points to ever more intents, table=" + name, new IOException("rounds")));
      }
      List<Integer> again = new ArrayList<>(refused);
      again.addAll(blocked);
      Step<Void> pause = refused.isEmpty() ? Step.done() : access.pause(tries);
      return Step.all(List.of(pause, resolve(blocked, unresolved)))
          .then(
              ready ->
                  read(
                      again,
                      refused.isEmpty() ? tries : tries + 1,
                      blocked.isEmpty() ? rounds : rounds + 1));
    }

    /** Finds out what the next attempt at each row asks for. */
    private Step<Void> resolve(List<Integer> blocked, List<Seen> unresolved) {
      if (blocked.isEmpty()) {
        return Step.done();
      }
      List<FastReads.Blocked> met = new ArrayList<>(blocked.size());
      for (int i = 0; i < blocked.size(); i++) {
        Seen seen = unresolved.get(i);
        met.add(
            new FastReads.Blocked(requests[blocked.get(i)], seen.reply(), seen.row().pointers()));
      }
      return reads
          .resolve(met)
          .then(
              next -> {
                for (int i = 0; i < next.size(); i++) {
                  requests[blocked.get(i)] = next.get(i);
                }
                return Step.done();
              });
    }
  }
}
