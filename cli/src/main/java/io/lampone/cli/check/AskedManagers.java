package io.lampone.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import io.lampone.cli.SiteFile;
import io.lampone.cli.check.ManagersCheck.Manager;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.cli.manager.ManagersReport;
import io.lampone.cli.manager.ValidatorsReport;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Asks the transaction managers for the state that a cluster check judges. */
public final class AskedManagers {

  private AskedManagers() {}

  /** Returns the target of a cluster check. */
  public static ClusterCheck.Target target(Configuration configuration, ManagerAccess access) {
    return new ClusterCheck.Target(
        configuration,
        ManagerAccess.quorum(configuration),
        ManagerAccess.parent(configuration),
        access.config(),
        SiteFile.problems(configuration));
  }

  /**
   * Returns the target of a cluster check that cannot ask transaction managers.
   *
   * @param refused the refusal of the settings
   */
  public static ClusterCheck.Target target(Configuration configuration, CommandException refused) {
    String refusal = String.valueOf(refused.getMessage());
    List<String> problems = new ArrayList<>(SiteFile.problems(configuration));
    if (problems.stream().noneMatch(refusal::contains)) {
      problems.add(refusal);
    }
    return new ClusterCheck.Target(
        configuration,
        ManagerAccess.quorum(configuration),
        ManagerAccess.parent(configuration),
        TransactionManagerClientConfig.builder().build(),
        problems);
  }

  /** Returns the question for a cluster check. */
  public static ClusterCheck.ManagerQuestion question(ManagerOperations operations) {
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
          asked.answer().map(each -> each.path("primary")).orElseGet(AskedManagers::nothing);
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
}
