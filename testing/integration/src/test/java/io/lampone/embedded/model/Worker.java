package io.lampone.embedded.model;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.model.Session.MarkedSavepoint;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;

/**
 * Runs random transactions on separate tables, several of them interleaved in one thread, and
 * compares all their reads, and their outcomes, with the {@link Model}. Only the seed decides the
 * interleaving.
 *
 * <p>Not thread-safe.
 */
final class Worker {

  private static final int OPEN_TRANSACTIONS = 4;
  private static final int REMEMBERED_STEPS = 100;
  private static final int REMEMBERED_TIMESTAMPS = 200;

  private final long seed;
  private final Random random;
  private final List<LamponeClient> clients;
  private final List<TableName> names;
  private final Disturbance disturbance;
  private final Model model;
  private final Operations operations;
  private final List<Session> sessions = new ArrayList<>();
  // start and commit timestamps, oldest first: points in time to read at
  private final List<Long> past = new ArrayList<>();
  private final Deque<String> steps = new ArrayDeque<>();
  private final Tally tally = new Tally();
  private int begun;

  /** Event that changes the place or form of stored rows, and must not change reads. */
  @FunctionalInterface
  interface Disturbance {
    String disturb(Random random) throws IOException;
  }

  /** Counts of a worker's operations. */
  static final class Tally {
    int operations;
    int committed;
    int conflicts;
    int earlyConflicts;
    int abandoned;
    int rolledBack;
    int disturbances;
    int longPages;

    void add(Tally other) {
      operations += other.operations;
      committed += other.committed;
      conflicts += other.conflicts;
      earlyConflicts += other.earlyConflicts;
      abandoned += other.abandoned;
      rolledBack += other.rolledBack;
      disturbances += other.disturbances;
      longPages += other.longPages;
    }

    @Override
    public String toString() {
      return "operations="
          + operations
          + " committed="
          + committed
          + " conflicts="
          + conflicts
          + " earlyConflicts="
          + earlyConflicts
          + " abandoned="
          + abandoned
          + " rolledBack="
          + rolledBack
          + " disturbances="
          + disturbances
          + " longPages="
          + longPages;
    }
  }

  /**
   * @param seed decides all random choices
   * @param clients each transaction belongs to one of them
   * @param names empty transactional tables with the families and borders of {@link RandomSpecs}
   * @param levels conflict levels of the tables in the model
   * @param tamper changes real results before the comparison
   */
  Worker(
      long seed,
      List<LamponeClient> clients,
      List<TableName> names,
      List<ConflictLevel> levels,
      Disturbance disturbance,
      UnaryOperator<Result> tamper) {
    this.seed = seed;
    this.random = new Random(seed);
    this.clients = clients;
    this.names = names;
    this.disturbance = disturbance;
    this.model = new Model(levels);
    this.operations = new Operations(random, new RandomSpecs(random), tamper);
  }

  /**
   * Runs so many operations.
   *
   * @throws AssertionError with the seed and the last steps, if reality and model differ
   */
  Tally run(int wanted) {
    try {
      while (tally.operations < wanted) {
        step();
      }
      tally.longPages = operations.pagesBeyondTheFilter();
      return tally;
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          "seed="
              + seed
              + " operation="
              + tally.operations
              + "\n"
              + String.join("\n", steps)
              + "\n"
              + operations.text()
              + "\n"
              + e,
          e);
    } finally {
      sessions.forEach(Worker::closeQuietly);
    }
  }

  private void step() throws Exception {
    if (random.nextInt(400) == 0) {
      note(disturbance.disturb(random));
      tally.disturbances++;
    }
    if (sessions.size() < OPEN_TRANSACTIONS && random.nextInt(4) == 0 || sessions.isEmpty()) {
      begin();
      return;
    }
    Session session = sessions.get(random.nextInt(sessions.size()));
    try {
      int choice = random.nextInt(100);
      if (choice < 8) {
        commit(session);
      } else if (choice < 9) {
        rollBack(session);
      } else if (choice < 10) {
        abandon(session);
      } else if (choice < 13 && session.writes()) {
        note(session, "savepoint");
        session
            .savepoints()
            .add(new MarkedSavepoint(session.real().savepoint(), session.model().savepoint()));
      } else if (choice < 16 && !session.savepoints().isEmpty()) {
        rollBackToSavepoint(session);
      } else {
        tally.operations++;
        operations.any(session);
        note(session, operations.text());
      }
    } catch (ConflictException e) {
      // Writes that are sent before commit may meet the winner there and then.
      note(session, operations.text() + " -> " + e.getMessage());
      justify(session, e);
      tally.earlyConflicts++;
      end(session);
    }
  }

  private void begin() throws IOException {
    LamponeClient client = clients.get(random.nextInt(clients.size()));
    int kind = random.nextInt(10);
    Session session;
    if (kind == 0 && !past.isEmpty()) {
      long time = past.get(random.nextInt(past.size())) + random.nextInt(256);
      Transaction real = client.asOf(time);
      Mismatch.check("start of asOf " + time, Timestamps.tick(time), real.startTimestamp());
      session = Session.begin(begun++, real, model, names, false);
    } else if (kind == 1) {
      session = Session.begin(begun++, client.readOnly(), model, names, false);
    } else {
      session = Session.begin(begun++, client.begin(), model, names, true);
    }
    note(session, session.writes() ? "begin" : "begin read-only");
    remember(session.model().start());
    sessions.add(session);
  }

  private void commit(Session session) throws IOException {
    sessions.remove(session);
    try {
      session.real().commit();
    } catch (ConflictException e) {
      note(session, "commit -> " + e.getMessage());
      justify(session, e);
      tally.conflicts++;
      return;
    }
    Optional<Long> time = session.real().commitTimestamp();
    note(session, "commit at " + time);
    if (model.mustConflict(session.model())) {
      throw new Mismatch(session + " commits", "a conflict", time);
    }
    if (time.isEmpty() && !session.model().lastingWrites().isEmpty()) {
      throw new Mismatch(session + " commits", "a commit timestamp", time);
    }
    time.ifPresent(
        t -> {
          model.commit(session.model(), t);
          remember(t);
        });
    tally.committed++;
  }

  private void justify(Session session, ConflictException conflict) {
    if (!model.mayConflict(session.model())) {
      throw new Mismatch(session + " ends", "no conflict", conflict.getMessage());
    }
  }

  private void rollBack(Session session) throws IOException {
    note(session, "rollback");
    session.real().rollback();
    tally.rolledBack++;
    end(session);
  }

  /** Abandons a transaction, as if its client had died: its sent writes stay. */
  private void abandon(Session session) {
    note(session, "abandoned");
    tally.abandoned++;
    end(session);
  }

  private void rollBackToSavepoint(Session session) throws IOException {
    int index = random.nextInt(session.savepoints().size());
    MarkedSavepoint to = session.savepoints().get(index);
    note(session, "rollback to savepoint " + to.real().slot());
    session.real().rollbackTo(to.real());
    session.model().rollbackTo(to.model());
    session.savepoints().subList(index + 1, session.savepoints().size()).clear();
  }

  private void end(Session session) {
    sessions.remove(session);
  }

  private void remember(long timestamp) {
    if (past.size() == REMEMBERED_TIMESTAMPS) {
      past.remove(0);
    }
    past.add(timestamp);
  }

  private void note(Session session, String what) {
    note(session + " " + what);
  }

  private void note(String what) {
    if (steps.size() == REMEMBERED_STEPS) {
      steps.removeFirst();
    }
    steps.addLast(what);
  }

  private static void closeQuietly(Session session) {
    try {
      session.real().close();
    } catch (IOException e) {
      // The worker has ended; its open transactions are left to readers, of which there are none.
    }
  }
}
