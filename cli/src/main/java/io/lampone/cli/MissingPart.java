package io.lampone.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Placeholder for a command of a part that is not installed; prints how to install it. */
@CommandLine.Command
public final class MissingPart implements Callable<Integer> {

  /** Commands of the lab, by the name of the parent command. */
  private static final Map<String, List<String>> LAB =
      Map.of(
          "",
          List.of(
              "attack",
              "bench",
              "cluster",
              "figures",
              "first-hour",
              "history",
              "mutation-campaign",
              "phoenix-its",
              "simulate",
              "tm-load",
              "torture"),
          "tm",
          List.of("failover-test"));

  private static final String INSTALL = "docs/operations/install.md";
  private static final String SQL = "docs/sql.md";

  @Spec CommandSpec spec;

  private final Failure failure;

  private MissingPart(Failure failure) {
    this.failure = failure;
  }

  /** Adds one for each command of the other parts that {@code lampone} does not have. */
  static void addTo(CommandLine lampone) {
    LAB.forEach(
        (parent, names) ->
            names.forEach(
                name ->
                    add(
                        Lampone.find(lampone, parent),
                        name,
                        "Not installed: part of the lab, see " + INSTALL + ".",
                        missing(parent.isEmpty() ? name : parent + " " + name, "lab", INSTALL))));
    add(lampone, "sql", "SQL by Apache Phoenix; see " + SQL + ".", missingSql("sql"));
    add(
        Lampone.find(lampone, "bench"),
        "sql",
        "Not installed: part of lampone-sql, see " + SQL + ".",
        missingSql("bench sql"));
  }

  /** Returns the failure of a command that needs Apache Phoenix. */
  public static Failure missingSql(String command) {
    return missing(command, "sql", SQL);
  }

  private static void add(CommandLine above, String name, String description, Failure failure) {
    if (!above.getSubcommands().containsKey(name)) {
      CommandLine missing = new CommandLine(new MissingPart(failure));
      missing.setUnmatchedArgumentsAllowed(true);
      missing.getCommandSpec().usageMessage().description(description);
      above.addSubcommand(name, missing);
      missing.getCommandSpec().mixinStandardHelpOptions(false); // inherited
    }
  }

  private static Failure missing(String command, String part, String page) {
    return new Failure(
        "this installation does not have 'lampone "
            + command
            + "': it is part of "
            + (part.equals("lab") ? "the lab" : "lampone-" + part),
        "unpack lampone-"
            + part
            + "-"
            + Versions.all().get("lampone")
            + "-bin.tar.gz where you unpacked lampone-*-bin.tar.gz ("
            + page
            + "), or use bin/lampone of a source tree");
  }

  @Override
  public Integer call() {
    failure.print(spec.commandLine().getErr(), "");
    return CommandLine.ExitCode.SOFTWARE;
  }
}
