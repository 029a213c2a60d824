package io.lampone.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import io.lampone.cli.check.ManagersCheck.Manager;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.cli.manager.ManagersReport;
import io.lampone.cli.manager.ValidatorsReport;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
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

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  CheckCommand() {}

  @Override
  public Integer call() {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    List<Finding> findings;
    try {
      Configuration configuration = connection.configuration(errors);
      try (ManagerAccess access = ManagerAccess.open(connection, errors);
          ManagerOperations operations = ManagerOperations.open(access);
          ProgressBar bar = ProgressBar.of(errors, SystemClock.INSTANCE)) {
        findings =
            new ClusterCheck(
                    new ClusterCheck.Target(
                        configuration,
                        ManagerAccess.quorum(configuration),
                        ManagerAccess.parent(configuration),
                        access.config(),
                        SiteFile.problems(configuration)),
                    SystemClock.INSTANCE)
                .run(question(operations), (step, done, total) -> show(bar, step, done, total));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
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

  /** Shows the current check on a terminal, because an unresponsive server takes long. */
  private static void show(ProgressBar bar, String step, int done, int total) {
    if (System.console() != null) {
      bar.show(new ProgressBar.State(step, done, total, "asked", 0, ""));
    }
  }

  private static ClusterCheck.ManagerQuestion question(ManagerOperations operations) {
    return new ClusterCheck.ManagerQuestion() {
      @Override
      public List<Manager> ask() throws IOException, InterruptedException {
        return managers(operations);
      }

      @Override
      public Optional<ValidatorsReport> validators() throws IOException, InterruptedException {
        return operations.validators();
      }
    };
  }

  private static List<Manager> managers(ManagerOperations operations)
      throws IOException, InterruptedException {
    ManagersReport status = operations.status();
    Map<String, String> versions = new HashMap<>();
    for (ManagersReport.Asked asked : status.asked()) {
      asked
          .answer()
          .ifPresent(
              answer ->
                  answer
                      .path("members")
                      .forEach(
                          member ->
                              versions.put(
                                  member.path("address").asText(),
                                  member.path("version").asText())));
    }
    List<Manager> managers = new ArrayList<>();
    for (ManagersReport.Asked asked : status.asked()) {
      JsonNode primary =
          asked.answer().map(each -> each.path("primary")).orElseGet(CheckCommand::nothing);
      managers.add(
          new Manager(
              asked.address(),
              asked.answer().isPresent() ? asked.role() : "",
              primary.path("leaseRemainingMillis").asLong(-1),
              asked.answer().filter(ManagersReport::draining).isPresent(),
              asked.answer().map(each -> each.path("clusterKey").asBoolean()).orElse(true),
              versions.getOrDefault(asked.address(), ""),
              asked.problem(),
              asked.answer().map(each -> permissive(each, asked.address())).orElse(""),
              asked.answer().map(each -> each.path("clockComplaint").asText("")).orElse("")));
    }
    return managers;
  }

  /**
   * Returns a note on security that is being switched on, from a status; empty if all is required.
   */
  static String permissive(JsonNode status, String address) {
    if (!status.path("permissive").asBoolean()) {
      return "";
    }
    long since = 0;
    for (JsonNode member : status.path("members")) {
      if (member.path("address").asText().equals(address)) {
        since = member.path("sinceMillis").asLong();
      }
    }
    List<String> missing = new ArrayList<>();
    for (JsonNode client : status.path("unsecured")) {
      String principal = client.path("principal").asText();
      missing.add(
          (principal.isEmpty() ? "a client without a name" : principal)
              + " from "
              + client.path("host").asText()
              + (client.path("proved").asBoolean() ? "" : " without proof")
              + (client.path("tls").asBoolean() ? "" : " without TLS"));
    }
    long more = status.path("unsecuredClients").asLong() - missing.size();
    return "authentication or TLS is permissive"
        + (since == 0 ? "" : " since " + Instant.ofEpochMilli(since))
        + (missing.isEmpty()
            ? "; no client is missing"
            : "; missing: " + String.join(", ", missing))
        + (more > 0 ? ", and " + more + " more" : "");
  }

  private static JsonNode nothing() {
    return new ObjectMapper().createObjectNode();
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
