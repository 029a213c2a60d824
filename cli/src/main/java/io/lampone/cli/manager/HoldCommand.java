package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.Hold;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code lampone hold ...}: administration of holds. */
@Command(
    name = "hold",
    description = {
      "Manages holds, which keep snapshots readable.",
      "The safe point, below which old versions are collected, does not rise above a snapshot that"
          + " is held. A hold expires unless it is renewed."
    })
public final class HoldCommand extends ServerCommands {

  private static final String JSON_HELP = "Standard output is one line of JSON.";
  private static final String EXIT_CODES = "Exit codes: 0 done; 1 not; 2 wrong options.";

  /** Owner of the holds taken by commands. */
  static final String DEFAULT_OWNER = "lampone-cli";

  private static final String FOR_HELP =
      "How long it lasts unless it is renewed; at most what lampone.tm.hold.longest allows."
          + " Default: ${DEFAULT-VALUE}.";

  /** Largest {@code --for}: no transaction manager permits a longer hold. */
  private static final long LONGEST_SECONDS = Duration.ofDays(30).toSeconds();

  /** Options that identify a hold. */
  static final class Key {
    @Parameters(paramLabel = "NAME", description = "Name of the hold: letters, digits, . _ : @ -")
    String name = "";

    @Option(
        names = "--owner",
        defaultValue = DEFAULT_OWNER,
        description = "Whose it is. Default: ${DEFAULT-VALUE}.")
    String owner = DEFAULT_OWNER;

    private String arguments() {
      if (!name.matches(Hold.TEXT) || !owner.matches(Hold.OWNER)) {
        throw new CommandException(
            "not a name: '" + name + "' of '" + owner + "'",
            "1 to "
                + Hold.MAX_TEXT_LENGTH
                + " letters, digits and . _ : @ -; administrators write principal/owner");
      }
      return "owner=" + owner + " name=" + name;
    }
  }

  HoldCommand() {
    super("say what to do: take, renew, release or list");
  }

  @Command(
      name = "take",
      description = "Holds a snapshot: the present one, or an older one that is still readable.",
      footer = {"", EXIT_CODES})
  int take(
      @Mixin ConnectionOptions connection,
      @Mixin Key key,
      @Option(
              names = "--timestamp",
              paramLabel = "TIMESTAMP",
              description = "Which snapshot. Default: the present one.")
          @Nullable Long timestamp,
      @Option(names = "--for", paramLabel = "SECONDS", defaultValue = "600", description = FOR_HELP)
          long seconds,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    requireLifetime(seconds);
    return manage(
        connection,
        operations -> {
          String arguments = key.arguments();
          long snapshot = timestamp == null ? operations.now() : timestamp;
          print(
              operations.atPrimary(
                  "hold",
                  arguments + " timestamp=" + snapshot + " " + lifetime(operations, seconds)),
              json,
              "Held");
          return 0;
        });
  }

  @Command(
      name = "renew",
      description = "Lets a hold last longer, from now on.",
      footer = {"", EXIT_CODES})
  int renew(
      @Mixin ConnectionOptions connection,
      @Mixin Key key,
      @Option(names = "--for", paramLabel = "SECONDS", defaultValue = "600", description = FOR_HELP)
          long seconds,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    requireLifetime(seconds);
    return manage(
        connection,
        operations -> {
          String arguments = key.arguments();
          print(
              operations.atPrimary("renew", arguments + " " + lifetime(operations, seconds)),
              json,
              "Renewed");
          return 0;
        });
  }

  @Command(
      name = "release",
      description = "Ends a hold.",
      footer = {"", EXIT_CODES})
  int release(
      @Mixin ConnectionOptions connection,
      @Mixin Key key,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          ManagerOperations.Answer answer = operations.atPrimary("release", key.arguments());
          if (json) {
            out().println(answer.json());
          }
          if (!answer.content().path("released").asBoolean()) {
            throw new CommandException(
                "no such hold of owner " + key.owner + ": " + key.name,
                "it has expired, or has another owner: 'lampone hold list' shows owners, --owner"
                    + " names one");
          }
          if (!json) {
            out().println("Released " + key.name);
          }
          return 0;
        });
  }

  @Command(
      name = "list",
      description = "Lists all holds, and says where the safe point is.",
      footer = {"", EXIT_CODES})
  int list(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return manage(
        connection,
        operations -> {
          print(operations.atPrimary("holds", ""), json, answer -> table(answer.content()));
          return 0;
        });
  }

  private static List<String> table(JsonNode answer) {
    long safePoint = answer.path("safePoint").asLong();
    String row = "%-32s %-32s %-20s %-30s %10s";
    List<String> lines = new ArrayList<>();
    lines.add(
        "Safe point "
            + safePoint
            + (Timestamps.isGlobal(safePoint) ? ", " + Timestamps.toInstant(safePoint) : "")
            + "; retention "
            + TimeUnit.MILLISECONDS.toSeconds(answer.path("retentionMillis").asLong())
            + " s");
    lines.add(String.format(Locale.ROOT, row, "OWNER", "NAME", "TIMESTAMP", "TIME", "EXPIRES IN"));
    for (JsonNode hold : answer.path("holds")) {
      long timestamp = hold.path("timestamp").asLong();
      lines.add(
          String.format(
              Locale.ROOT,
              row,
              hold.path("owner").asText(),
              hold.path("name").asText(),
              timestamp,
              Timestamps.toInstant(timestamp),
              TimeUnit.MILLISECONDS.toSeconds(hold.path("remainingMillis").asLong()) + " s"));
    }
    return lines;
  }

  private void requireLifetime(long seconds) {
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      throw new ParameterException(
          spec.commandLine(), "--for must be in 1.." + LONGEST_SECONDS + ", not " + seconds);
    }
  }

  /** Returns the requested lifetime, or the permitted one, which is then reported. */
  private String lifetime(ManagerOperations operations, long seconds)
      throws IOException, InterruptedException {
    long wanted = TimeUnit.SECONDS.toMillis(seconds);
    long longest = SnapshotHold.longestMillis(operations);
    if (longest < wanted) {
      PrintWriter errors = spec.commandLine().getErr();
      errors.println(
          "It lasts "
              + TimeUnit.MILLISECONDS.toSeconds(longest)
              + " s and not "
              + seconds
              + " s: lampone.tm.hold.longest allows no more. Renew it before.");
      errors.flush();
    }
    return "ttl=" + Math.min(wanted, longest);
  }
}
