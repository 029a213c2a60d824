package io.lampone.cli.quickstart;

import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Logging;
import io.lampone.cli.shell.ClientDatabase;
import io.lampone.cli.shell.Database;
import io.lampone.client.ConflictException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Client in a separate process, to be killed. It either stops between its intents and its commit
 * and prints {@code INTENTS id}, or prints {@code READY} and transfers until it is killed.
 *
 * <p>A real process and SIGKILL: no shutdown hook runs, no socket is closed by the client, nothing
 * is rolled back.
 */
@Command(name = "doomed-client", hidden = true, description = "Waits to be killed.")
final class DoomedClient implements Callable<Integer> {

  /** Prefix of the line with the id. */
  static final String INTENTS = "INTENTS ";

  /** The line after which transfers run. */
  static final String READY = "READY";

  /** Property that makes clients send every write at once instead of at commit. */
  private static final String BUFFER_KEY = "lampone.client.buffer.bytes";

  private static final String SMALLEST_BUFFER = "1";

  /** Lifetime after which an orphan exits, because its parent is gone. */
  private static final long LIFETIME_SECONDS = 300;

  private static final long POLL_MILLIS = 20;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--table", required = true)
  String table = "";

  @Option(names = "--accounts", required = true)
  int accounts;

  @Option(names = "--from", defaultValue = "0")
  int from;

  @Option(names = "--to", defaultValue = "1")
  int to;

  @Option(names = "--amount", defaultValue = "1")
  long amount;

  @Option(names = "--threads", defaultValue = "0", description = "Transfer at random; 0: stop.")
  int threads;

  @Option(names = "--seed", defaultValue = "1")
  long seed;

  DoomedClient() {}

  /** Entry point of the process. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new DoomedClient()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Logging.toStandardError(true);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Configuration configuration =
        connection.configuration(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    configuration.set(BUFFER_KEY, SMALLEST_BUFFER);
    try (Database database = ClientDatabase.connect(configuration)) {
      Bank bank = new Bank(database, TableName.valueOf(table), accounts);
      if (threads > 0) {
        new BankTransfers(database, bank, SystemClock.INSTANCE, threads, seed).start();
        out.println(READY);
      } else {
        out.println(INTENTS + leaveIntents(database, bank));
      }
      TimeUnit.SECONDS.sleep(LIFETIME_SECONDS);
      return 1;
    }
  }

  /** Writes without a commit; repeats while concurrent commits win the conflict. */
  private TransactionId leaveIntents(Database database, Bank bank)
      throws IOException, InterruptedException {
    while (true) {
      Transaction transaction = database.begin(TransactionOptions.DEFAULT);
      try {
        if (!bank.transfer(transaction, from, to, amount)) {
          throw new IOException("the account has too little, account=" + from);
        }
        return awaitIntents(database, transaction);
      } catch (ConflictException e) {
        transaction.rollback();
      }
    }
  }

  /** Waits, by polling its status, until the leader of the transaction is in HBase. */
  private static TransactionId awaitIntents(Database database, Transaction transaction)
      throws IOException, InterruptedException {
    TransactionId id =
        transaction
            .id()
            .orElseThrow(() -> new IOException("no intent was sent although the buffer is full"));
    while (!(database.status(id) instanceof TransactionOutcome.Running)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return id;
  }
}
