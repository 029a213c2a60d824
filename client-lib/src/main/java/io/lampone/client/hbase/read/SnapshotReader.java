package io.lampone.client.hbase.read;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.RowOverlay;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.Attempt;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows of one table in a transaction's snapshot (protocol page, sections 4 and 5). Several
 * gets are sent as one batch. Intents that the servers could not judge are resolved together, and
 * only the rows with one are read again, each with its own judgments; temporary refusals are sent
 * again.
 *
 * <p>Own writes that the servers have not seen are overlaid on the reply if possible ({@link
 * BufferOverlay#isSimple}); otherwise they are sent first. The overlay is taken before the read
 * request: a concurrent flush in between is then either waited for or overlaid.
 */
public final class SnapshotReader {

  /** Limit of reads of one row that returns further intents. */
  private static final int MAX_ROUNDS = 100;

  private final StoreAccess access;
  private final OpenTransaction transaction;
  private final String name;

  public SnapshotReader(StoreAccess access, OpenTransaction transaction, TableName table) {
    this.access = access;
    this.transaction = transaction;
    this.name = table.getNameAsString();
  }

  /** Returns rows in the order of the gets. */
  public Step<List<Result>> getAll(List<Get> gets) {
    if (gets.isEmpty()) {
      return Step.done(List.of());
    }
    for (Get get : gets) {
      ReadRules.check(get);
    }
    boolean flushFirst = false;
    for (Get get : gets) {
      flushFirst |= mustFlush(get);
    }
    return flushFirst
        ? transaction.flush().then(flushed -> new Reading(gets).start())
        : new Reading(gets).start();
  }

  /** Returns true if the buffered writes must be sent, because they cannot be overlaid. */
  private boolean mustFlush(Get get) {
    return !BufferOverlay.isSimple(get) && transaction.buffers(name, Bytes.of(get.getRow()));
  }

  /** Batch of gets in progress. Used by one thread at a time. */
  private final class Reading {

    private final List<Get> gets;
    private final List<RowOverlay> own;
    private final @Nullable Result[] results;

    /** Judgments of each row that must be read again, by its index: those of all might not fit. */
    private final Map<Integer, Map<TransactionId, Fate>> judgments = new HashMap<>();

    private final long deadlineNanos = access.deadline();

    Reading(List<Get> gets) {
      this.gets = gets;
      this.results = new Result[gets.size()];
      this.own = new ArrayList<>(gets.size());
      for (Get get : gets) {
        own.add(transaction.overlay(name, Bytes.of(get.getRow())));
      }
    }

    Step<List<Result>> start() {
      List<Integer> all = new ArrayList<>(gets.size());
      for (int i = 0; i < gets.size(); i++) {
        all.add(i);
      }
      return read(all, 0, 0).map(done -> List.of(results));
    }

    private Step<Void> read(List<Integer> wanted, int tries, int rounds) {
      return transaction
          .readRequest()
          .then(request -> send(wanted, request))
          .then(ends -> afterRead(wanted, ends, tries, rounds));
    }

    private Step<List<Attempt<Result>>> send(List<Integer> wanted, ReadRequest request) {
      byte[] attribute = request.encode();
      List<Get> sent = new ArrayList<>(wanted.size());
      for (int index : wanted) {
        Map<TransactionId, Fate> judged = judgments.get(index);
        sent.add(
            carrying(
                gets.get(index),
                judged == null ? attribute : request.withJudgments(judged).encode()));
      }
      (sent.size() == 1 ? access.metrics().gets : access.metrics().multiGets).increment();
      return Attempt.gets(access, name, sent, deadlineNanos);
    }

    private ServerRow proven(Result result) {
      ServerRow row = ServerRow.of(name, result);
      if (!row.proven()) {
        throw new MalformedException("reply carries no proof");
      }
      return row;
    }

    private Step<Void> afterRead(
        List<Integer> wanted, List<Attempt<Result>> ends, int tries, int rounds) {
      List<Integer> again = new ArrayList<>();
      Map<Integer, List<Intent>> pointers = new HashMap<>();
      boolean refused = false;
      for (int i = 0; i < ends.size(); i++) {
        int index = wanted.get(i);
        Attempt<ServerRow> end = ends.get(i).then(name, this::proven);
        if (end.failure().isPresent()) {
          RuntimeException failure = end.failure().get();
          if (!StoreFailures.mayRepeat(failure) || access.isOver(deadlineNanos)) {
            return Step.failed(failure);
          }
          refused = true;
          again.add(index);
        } else if (!end.value().pointers().isEmpty()) {
          pointers.put(index, end.value().pointers());
          again.add(index);
        } else {
          results[index] = seen(index, end.value());
        }
      }
      if (again.isEmpty()) {
        return Step.done();
      }
      if (rounds == MAX_ROUNDS) {
        return Step.failed(
            new StoreUnavailableException(
                "a row points to ever more intents, table=" + name, new IOException("rounds")));
      }
      int nextTries = refused ? tries + 1 : tries;
      Step<Void> pause = refused ? access.pause(tries) : Step.done();
      return Step.all(List.of(pause, resolve(pointers)))
          .then(ready -> read(again, nextTries, pointers.isEmpty() ? rounds : rounds + 1));
    }

    private Step<Void> resolve(Map<Integer, List<Intent>> pointers) {
      if (pointers.isEmpty()) {
        return Step.done();
      }
      return transaction
          .resolve(pointers.values().stream().flatMap(List::stream).toList())
          .then(
              fates -> {
                pointers.forEach((index, met) -> judged(index, met, fates));
                return Step.done();
              });
    }

    private void judged(int index, List<Intent> met, Map<TransactionId, Fate> fates) {
      Map<TransactionId, Fate> own = judgments.computeIfAbsent(index, i -> new HashMap<>());
      for (Intent intent : met) {
        Fate fate = fates.get(intent.id());
        if (fate != null) {
          own.put(intent.id(), fate);
        }
      }
    }

    private Result seen(int index, ServerRow row) {
      Get get = gets.get(index);
      return ReadRules.answer(
          get,
          BufferOverlay.isSimple(get)
              ? BufferOverlay.merge(get, row.cells(), own.get(index), transaction.startTimestamp())
              : row.cells());
    }
  }

  private static Get carrying(Get get, byte[] attribute) {
    Get copy = new Get(get);
    // HBase replies to a bare existence check without cells: neither proof nor pointer could be
    // returned.
    copy.setCheckExistenceOnly(false);
    copy.setAttribute(ReadRequest.ATTRIBUTE, attribute);
    return copy;
  }
}
