package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.check.AskedManagers;
import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.protocol.time.SystemClock;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lampone check}. */
@Command(
    name = "check",
    description = {
      "Looks at an installation: settings, ZooKeeper, the record, transaction managers and their"
          + " lease, validators, HBase's versions, the coprocessor on every region server, transactional"
          + " tables, permissions, clocks.",
      "Each line says ok, warn or fail, and what to do."
    },
    footer = {"", "Exit codes: 0 nothing fails; 1 something does; 2 wrong options."})
final class CheckCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection;

  @Option(names = "--json", description = "Standard output is one line of JSON.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces, and the log.")
  boolean debug;

  @Override
  public Integer call() throws InterruptedException {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    Configuration configuration = connection.configuration(errors);
    List<Finding> findings;
    try (ProgressBar bar = ProgressBar.of(errors, SystemClock.INSTANCE)) {
      findings =
          findings(configuration, errors, (step, done, total) -> show(bar, step, done, total));
    }
    boolean fails = findings.stream().anyMatch(each -> each.level() == Level.FAIL);
    if (json) {
      spec.commandLine().getOut().println(toJson(findings, !fails));
    } else {
      findings.forEach(each -> spec.commandLine().getOut().println(each.line()));
    }
    spec.commandLine().getOut().flush();
    return fails ? 1 : 0;
  }

  /** Runs the checks; those that ask no transaction manager also if the settings are refused. */
  private List<Finding> findings(
      Configuration configuration, PrintWriter errors, ClusterCheck.Steps steps)
      throws InterruptedException {
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access)) {
      return new ClusterCheck(AskedManagers.target(configuration, access), SystemClock.INSTANCE)
          .run(AskedManagers.question(operations), steps);
    } catch (CommandException e) {
      return new ClusterCheck(AskedManagers.target(configuration, e), SystemClock.INSTANCE)
          .run(
              () -> {
                throw e;
              },
              steps);
    }
  }

  /** Shows the current check on a terminal, because an unresponsive server takes long. */
  private static void show(ProgressBar bar, String step, int done, int total) {
    if (System.console() != null) {
      bar.show(new ProgressBar.State(step, done, total, "asked", 0, ""));
    }
  }

  private static String toJson(List<Finding> findings, boolean passed) {
    ObjectNode root = new ObjectMapper().createObjectNode();
    root.put("passed", passed);
    ArrayNode array = root.putArray("findings");
    for (Finding finding : findings) {
      array
          .addObject()
          .put("check", finding.check())
          .put("subject", finding.subject())
          .put("level", finding.level().text())
          .put("found", finding.found())
          .put("advice", finding.advice());
    }
    return root.toString();
  }
}
