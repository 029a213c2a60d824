package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.TermKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lampone tm ...}. */
@Command(
    name = "tm",
    description = "Runs transaction managers, looks at them, and moves their work.")
public final class TmCommand extends ServerCommands {

  static final String JSON_HELP =
      "Standard output is one line of JSON; what people read goes to the other one.";

  TmCommand() {
    super(
        "say what to do: run, status, transactions, handover, drain, inspect, accept-record, keys or"
            + " failover-test");
  }

  @Command(
      name = "run",
      description = {
        "Runs a transaction manager in this process, primary or backup as it turns out, until it is"
            + " told to stop or another one has taken over.",
        "Later settings win: FILE, --zookeeper, -D. Without FILE, conf/lampone-site.xml of a"
            + " distribution is read."
      },
      footer = {
        "",
        "Exit codes: 0 it gave its lease back or handed over: start it again, as a backup;",
        "1 not started: the port is taken, say; 2 wrong settings;",
        "3 another one has taken over: start it again, as a backup;",
        "4 it found itself in a state that cannot be: keep the log, and report it;",
        "137 out of memory, or killed;",
        "143 SIGTERM stopped it, 130 Ctrl-C: it released first."
      })
  int runManager(
      @Parameters(
              arity = "0..1",
              paramLabel = "FILE",
              description = "A properties file, or a site file if its name ends in .xml.")
          @Nullable Path file,
      @Option(
              names = {"-z", "--zookeeper"},
              paramLabel = "HOST:PORT[,...]",
              description = "ZooKeeper, lampone.tm.zookeeper.quorum.")
          @Nullable String zooKeeper,
      @Option(
              names = {"-D", "--set"},
              paramLabel = "NAME=VALUE",
              description = "One property, lampone.tm....; may be repeated.")
          @Nullable Map<String, String> settings) {
    return runProcess(file, zooKeeper, settings == null ? Map.of() : settings);
  }

  @Command(
      name = "status",
      description = "Asks ZooKeeper and every transaction manager that is registered there.",
      footer = {"", "Exit codes: 0 a primary answers and has its lease; 1 none; 2 wrong options."})
  int status(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          ManagersReport status = operations.status();
          if (json) {
            out().println(status.toJson());
          } else {
            status.lines().forEach(out()::println);
          }
          return status.hasPrimary() ? 0 : 1;
        });
  }

  @Command(
      name = "transactions",
      description =
          "Lists transactions that have been open for more than a second, oldest first, as clients"
              + " report them once a second. Administrators see those of all principals, others"
              + " their own.",
      footer = {"", "Exit codes: 0 answered; 1 not; 2 wrong options."})
  int transactions(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          print(
              operations.atPrimary("transactions", ""),
              json,
              answer -> new OpenTransactionTable(answer.content()).lines());
          return 0;
        });
  }

  @Command(
      name = "handover",
      description =
          "Transfers the leadership to a backup: no transaction is aborted, and callers wait for"
              + " some milliseconds. The process that was primary ends.",
      footer = {"", "Exit codes: 0 handed over; 1 not; 2 wrong options."})
  int handOver(
      @Mixin ConnectionOptions connection,
      @Option(
              names = "--to",
              paramLabel = "HOST:PORT",
              description = "Which backup. Default: the first one that takes it.")
          @Nullable String to,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          if (to != null) {
            ManagerAccess.address(to);
          }
          print(operations.handOver(to), json, "Handed over");
          return 0;
        });
  }

  @Command(
      name = "drain",
      description =
          "Tells a transaction manager to be primary no more, so that it can be stopped: if it is,"
              + " it hands over first.",
      footer = {"", "Exit codes: 0 drained; 1 not; 2 wrong options."})
  int drain(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "0..1", paramLabel = "HOST:PORT", description = "Default: the primary.")
          @Nullable String which,
      @Option(
              names = "--force",
              description =
                  "Gives the lease back even without a successor; open transactions abort.")
          boolean force,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          print(operations.drain(which, force), json, "Drained");
          return 0;
        });
  }

  @Command(
      name = "inspect",
      description = "Asks the primary what it remembers: of a transaction, and its newest entries.",
      footer = {"", "Exit codes: 0 answered; 1 not; 2 wrong options."})
  int inspect(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "0..1", paramLabel = "START", description = "A start timestamp.")
          @Nullable Long start,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          print(operations.inspect(start == null ? 0 : start), json, "Inspected");
          return 0;
        });
  }

  @Command(
      name = "accept-record",
      description =
          "Tells a backup that the record in ZooKeeper is right as it is, though it went back or"
              + " has disappeared: it may take over then. No timestamp is issued twice, and"
              + " transactions under way abort. Tells a primary that is silent because of the"
              + " record that no other leads: it writes it again.",
      footer = {"", "Exit codes: 0 accepted; 1 not; 2 wrong options."})
  int acceptRecord(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "1", paramLabel = "HOST:PORT", description = "The process.") String which,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          ManagerAccess.address(which);
          print(operations.acceptRecord(which), json, "Accepted");
          return 0;
        });
  }

  @Command(
      name = "keys",
      description =
          "Makes the key by which transactions belong to their clients, in a file that only its"
              + " owner can read. Each transaction manager and region server needs a copy, named in"
              + "%n  lampone.tm.security.cluster.key.file or%n  lampone.region.cluster.key.file."
              + "%n%n--rotate adds a key that counts from a"
              + " term of the time line that begins in 19 to 39 hours: until then copy the file to"
              + " all transaction managers and region servers, and restart them one after the"
              + " other.",
      footer = {
        "",
        "Exit codes: 0 made; 1 not made, for example because the file exists; 2 wrong options."
      })
  int keys(
      @Parameters(arity = "1", paramLabel = "FILE", description = "Where the key goes.") Path file,
      @Option(names = "--rotate", description = "Adds a key to a file that has one.")
          boolean rotate,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    try {
      if (rotate) {
        long now = Timestamps.ceilingOfMillis(SystemClock.INSTANCE.wallMillis());
        SecurityFiles.addClusterKey(file, TermKeys.termOf(now) + 2);
      } else {
        SecurityFiles.createClusterKey(file);
      }
    } catch (IllegalArgumentException e) {
      Failure.print(
          spec.commandLine().getErr(),
          new CommandException(String.valueOf(e.getMessage()), "nothing was changed"),
          debug);
      return 1;
    } catch (IOException e) {
      Failure.print(
          spec.commandLine().getErr(),
          new CommandException(
              "the key cannot be written: " + e,
              "an existing file is not replaced: all that is under way would be lost with it"),
          debug);
      return 1;
    }
    out().println(json ? keyJson(file) : "Made " + file);
    out().flush();
    return 0;
  }

  private static String keyJson(Path file) {
    return new ObjectMapper().createObjectNode().put("file", file.toString()).toString();
  }
}
