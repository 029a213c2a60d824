package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.manager.ManagerOperations.Answer;
import io.lampone.protocol.tm.BucketMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code lampone validator ...}. */
@Command(
    name = "validator",
    description =
        "Runs validators, which take the check for conflicts off the primary, and gives them work.")
public final class ValidatorCommand extends ServerCommands {

  private static final String PERCENT = "%";

  ValidatorCommand() {
    super("a command is missing: run, add, move, remove or list");
  }

  @Command(
      name = "run",
      description =
          "Runs a validator in this process. It registers itself and does nothing until 'lampone"
              + " validator add' gives it a share. The settings are those of a transaction manager;"
              + " it needs the same security settings and cluster key.",
      footer = {
        "",
        "Exit codes: 1 not started: the port is taken, for example; 2 wrong settings;",
        "143 stopped by SIGTERM, 130 by Ctrl-C."
      })
  int runValidator(
      @Parameters(
              arity = "0..1",
              paramLabel = "FILE",
              description = "A properties file, or a site file if its name ends in .xml.")
          @Nullable Path file,
      @Option(
              names = "--name",
              required = true,
              paramLabel = "NAME",
              description = "Its name, different from that of each other validator.")
          String name,
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
    Map<String, String> all = new HashMap<>(settings == null ? Map.of() : settings);
    all.put("lampone.tm.validator.name", name);
    return runProcess(file, zooKeeper, all);
  }

  @Command(
      name = "add",
      description =
          "Gives a validator its share of the buckets, while transactions go on. None is aborted"
              + " because of it.",
      footer = {"", "Exit codes: 0 added; 1 not, or not all; 2 wrong options."})
  int add(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "0..1", paramLabel = "NAME|ADDRESS", description = "Which validator.")
          @Nullable String validator,
      @Option(names = "--all", description = "All that run without a share.") boolean all,
      @Option(
              names = "--force",
              description =
                  "Although clients of an older version are connected, whose commits will be"
                      + " refused.")
          boolean force,
      @Option(names = "--json", description = TmCommand.JSON_HELP) boolean json) {
    if (all == (validator != null)) {
      throw new ParameterException(spec.commandLine(), "name a validator, or give --all");
    }
    return all
        ? manage(connection, operations -> addAll(operations, force, json))
        : change(connection, "validator-add", addition(String.valueOf(validator), force), json);
  }

  private static String addition(String validator, boolean force) {
    return "validator=" + validator + (force ? " force=true" : "");
  }

  /** Adds all without a share; one that cannot be added does not stop the others. */
  private int addAll(ManagerOperations operations, boolean force, boolean json)
      throws IOException, InterruptedException {
    int exit = 0;
    ArrayNode answers = new ObjectMapper().createArrayNode();
    JsonNode all = operations.atPrimary("validators", "").content();
    for (ValidatorsReport.Idle each : ValidatorsReport.of(all).idle()) {
      try {
        Answer answer = operations.atPrimary("validator-add", addition(each.address(), force));
        answers.add(answer.content());
        if (!json) {
          answer.lines().forEach(out()::println);
        }
      } catch (CommandException e) {
        Failure.print(spec.commandLine().getErr(), e, debug);
        answers
            .addObject()
            .put("name", each.name())
            .put("address", each.address())
            .put("problem", e.getMessage());
        exit = 1;
      }
    }
    if (json) {
      out().println(answers);
    }
    return exit;
  }

  @Command(
      name = "remove",
      description =
          "Gives the buckets of a validator to the others. It may be stopped when 'lampone validator"
              + " list' no longer shows it: until then, transactions that began before need it.",
      footer = {"", "Exit codes: 0 removed; 1 not; 2 wrong options."})
  int remove(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "1", paramLabel = "NAME|ADDRESS", description = "Which validator.")
          String validator,
      @Option(
              names = "--now",
              description = "It may be stopped at once; transactions that need it abort.")
          boolean now,
      @Option(names = "--json", description = TmCommand.JSON_HELP) boolean json) {
    String argument = "validator=" + validator + (now ? " now=true" : "");
    return change(connection, "validator-remove", argument, json);
  }

  @Command(
      name = "move",
      description = "Moves buckets from one owner to another; 'primary' is the primary.",
      footer = {"", "Exit codes: 0 moved; 1 not; 2 wrong options."})
  int move(
      @Mixin ConnectionOptions connection,
      @Option(names = "--from", required = true, paramLabel = "NAME", description = "The owner.")
          String from,
      @Option(names = "--to", required = true, paramLabel = "NAME", description = "The next owner.")
          String to,
      @Option(
              names = "--buckets",
              required = true,
              paramLabel = "N|N%",
              description =
                  "How many, of 2,520 or in percent of them; at most those that the owner has.")
          String buckets,
      @Option(names = "--json", description = TmCommand.JSON_HELP) boolean json) {
    return change(
        connection,
        "validator-move",
        "from=" + from + " to=" + to + " buckets=" + count(buckets),
        json);
  }

  private String count(String buckets) {
    if (!buckets.endsWith(PERCENT)) {
      return buckets;
    }
    try {
      double percent = Double.parseDouble(buckets.substring(0, buckets.length() - 1));
      return String.valueOf(Math.round(BucketMap.BUCKETS * percent / 100));
    } catch (NumberFormatException e) {
      throw new ParameterException(spec.commandLine(), "not a percentage: " + buckets, e);
    }
  }

  @Command(
      name = "list",
      description = {
        "Lists the validators with their buckets and votes, those without a share, and the last ones"
            + " that were lost.",
        "REMEMBERS says since when a validator knows all that was written: transactions that began"
            + " earlier do not get its vote. STATE 'leaving': only transactions that began before its"
            + " removal need it."
      },
      footer = {"", "Exit codes: 0 answered; 1 not; 2 wrong options."})
  int list(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = TmCommand.JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          print(
              operations.atPrimary("validators", ""),
              json,
              answer -> ValidatorsReport.of(answer.content()).lines());
          return 0;
        });
  }

  private int change(ConnectionOptions connection, String command, String argument, boolean json) {
    return manage(connection, operations -> report(operations, command, argument, json));
  }

  private int report(ManagerOperations operations, String command, String argument, boolean json)
      throws IOException, InterruptedException {
    print(operations.atPrimary(command, argument), json, Answer::lines);
    return 0;
  }
}
