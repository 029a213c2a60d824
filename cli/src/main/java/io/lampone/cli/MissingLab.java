package io.lampone.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stands for a command of the lab where the lab is not installed, and says how to install it. */
@CommandLine.Command
final class MissingLab implements Callable<Integer> {

  /** Commands of the lab, by the name of the command below which they stand. */
  private static final Map<String, List<String>> COMMANDS =
      Map.of(
          "",
          List.of(
              "attack",
              "bench",
              "cluster",
              "figures",
              "first-hour",
              "history",
              "simulate",
              "tm-load",
              "torture"),
          "tm",
          List.of("failover-test"));

  @Spec CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the field
  private MissingLab() {}

  /** Adds one for each command of the lab that {@code lampone} does not have. */
  static void addTo(CommandLine lampone) {
    COMMANDS.forEach(
        (parent, names) -> {
          CommandLine above = Lampone.find(lampone, parent);
          for (String name : names) {
            if (!above.getSubcommands().containsKey(name)) {
              CommandLine missing = new CommandLine(new MissingLab());
              missing.setUnmatchedArgumentsAllowed(true);
              missing
                  .getCommandSpec()
                  .usageMessage()
                  .description("Not installed: part of the lab, see docs/operations/install.md.");
              above.addSubcommand(name, missing);
            }
          }
        });
  }

  @Override
  public Integer call() {
    new Failure(
            "this installation does not have '" + spec.qualifiedName() + "': it is part of the lab",
            "unpack lampone-lab-"
                + Versions.all().get("lampone")
                + "-bin.tar.gz where you unpacked lampone-*-bin.tar.gz"
                + " (docs/operations/install.md), or use bin/lampone of a source tree")
        .print(spec.commandLine().getErr(), "");
    return CommandLine.ExitCode.SOFTWARE;
  }
}
