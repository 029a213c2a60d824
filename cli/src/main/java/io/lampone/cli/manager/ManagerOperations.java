package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Commands to transaction managers, with their replies and failures in user-facing form. */
public final class ManagerOperations implements AutoCloseable {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Time limit of a hand-over: the copying by the primary, and the steps before and after. */
  private static final Duration HAND_OVER_PATIENCE = Duration.ofSeconds(150);

  /** Field of a status that managers disclose to administrators only. */
  private static final String FOR_ADMINISTRATORS = "traffic";

  /** Begins a refusal of a command for want of a role or a proof. */
  private static final String NOT_PERMITTED = "not permitted";

  private final ManagerAccess access;
  private final CommandClient client;

  private ManagerOperations(ManagerAccess access, CommandClient client) {
    this.access = access;
    this.client = client;
  }

  public static ManagerOperations open(ManagerAccess access) {
    try {
      return new ManagerOperations(access, new CommandClient(access.config()));
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          String.valueOf(e.getMessage()), "the settings are described in docs/client.md", e);
    }
  }

  /**
   * Reply of one manager.
   *
   * @param asked its address
   * @param content JSON
   */
  record Answer(String asked, JsonNode content) {

    /** Returns the reply as one line of JSON. */
    String json() {
      return content.toString();
    }

    /** Returns one readable line for each field. */
    List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (Map.Entry<String, JsonNode> field : content.properties()) {
        if (field.getValue().isArray()) {
          lines.add("  " + field.getKey());
          field.getValue().forEach(element -> lines.add("    " + element));
        } else {
          lines.add(String.format("  %-20s %s", field.getKey(), field.getValue().asText()));
        }
      }
      return lines;
    }
  }

  /** Queries all registered managers and the one named by the record. */
  public ManagersReport status() throws IOException, InterruptedException {
    Optional<ManagerRecord> record = access.record();
    Map<String, CompletableFuture<CommandAnswer>> asked = new TreeMap<>();
    for (Member member : access.members()) {
      asked.put(member.address(), ask(member.address(), "status", ""));
    }
    Optional<String> primary = primary(record);
    primary
        .filter(address -> !asked.containsKey(address))
        .ifPresent(address -> asked.put(address, ask(address, "status", "")));
    Optional<CompletableFuture<CommandAnswer>> validators =
        primary.map(address -> ask(address, "validators", ""));
    List<ManagersReport.Asked> answers = new ArrayList<>();
    for (Map.Entry<String, CompletableFuture<CommandAnswer>> one : asked.entrySet()) {
      answers.add(answered(one.getKey(), one.getValue()));
    }
    return new ManagersReport(
        record,
        answers,
        validators.isEmpty()
            ? Optional.empty()
            : report(primary.orElseThrow(), validators.orElseThrow()));
  }

  /**
   * Returns the primary's report on validators; empty if it does not answer, or is older. Processes
   * without a share are probed.
   */
  public Optional<ValidatorsReport> validators() throws IOException, InterruptedException {
    Optional<String> primary = primary(access.record());
    return primary.isEmpty()
        ? Optional.empty()
        : report(primary.get(), ask(primary.get(), "validators", "probe=true"));
  }

  private static Optional<String> primary(Optional<ManagerRecord> record) {
    return record.map(ManagerRecord::address).filter(address -> !address.isEmpty());
  }

  private Optional<ValidatorsReport> report(
      String primary, CompletableFuture<CommandAnswer> validators)
      throws IOException, InterruptedException {
    return answered(primary, validators).answer().map(ValidatorsReport::of);
  }

  /** Requests a hand-over by the primary, to the backup at {@code to} if it is not null. */
  Answer handOver(@Nullable String to) throws IOException, InterruptedException {
    return demandHandOver(primary(), "handover", to == null ? "" : "address=" + to);
  }

  /** Drains the manager at {@code which}, or the primary if it is null. */
  Answer drain(@Nullable String which, boolean force) throws IOException, InterruptedException {
    String address = which == null ? primary() : which;
    return demandHandOver(address, "drain", force ? "force=true" : "");
  }

  /** Returns the primary's memory of the transaction. */
  Answer inspect(long startTimestamp) throws IOException, InterruptedException {
    return demand(primary(), "inspect", "timestamp=" + startTimestamp);
  }

  /** Makes the backup at {@code which} accept the record as it is. */
  Answer acceptRecord(String which) throws IOException, InterruptedException {
    return demand(which, "accept-record", "");
  }

  /** Sends a command to the primary. */
  Answer atPrimary(String command, String argument) throws IOException, InterruptedException {
    return demand(primary(), command, argument);
  }

  /** Returns a current timestamp; all later commits are above it. */
  public long now() throws IOException, InterruptedException {
    // Reports a missing primary like every other command.
    access.primary();
    try (TransactionManagerClient manager =
        TransactionManagerClient.create(access.config(), access.source())) {
      return manager.begin().get().startTimestamp();
    } catch (ExecutionException e) {
      throw new CommandException(
          "no timestamp could be had: " + cause(e).getMessage(),
          "'lampone tm status' lists the transaction managers and their roles",
          e);
    }
  }

  /**
   * Returns true if the primary accepts the secret of this principal, and lets it administer.
   *
   * @throws IOException if it does not answer
   * @throws CommandException if there is no primary
   */
  public boolean isAdministrator(Identity identity, SharedSecret secret)
      throws IOException, InterruptedException {
    ClientSecurity security = ClientSecurity.NONE.withIdentity(identity).withSecret(secret);
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder()
            .security(access.security().tls().map(security::withTls).orElse(security))
            .build();
    try (CommandClient own = new CommandClient(config)) {
      CommandAnswer answer = own.ask(ManagerAccess.address(primary()), "status", "").get();
      return answer.succeeded() && MAPPER.readTree(answer.text()).has(FOR_ADMINISTRATORS);
    } catch (ExecutionException e) {
      if (cause(e) instanceof TransactionManagerException known && known.kind() == Kind.REJECTED) {
        return false;
      }
      throw new IOException("the primary does not answer: " + cause(e).getMessage(), e);
    }
  }

  @Override
  public void close() {
    client.close();
  }

  private String primary() throws IOException, InterruptedException {
    InetSocketAddress address = access.primary().address();
    return address.getHostString() + ":" + address.getPort();
  }

  private CompletableFuture<CommandAnswer> ask(String address, String name, String argument) {
    return client.ask(ManagerAccess.address(address), name, argument);
  }

  private Answer demand(String address, String name, String argument)
      throws IOException, InterruptedException {
    try {
      return accepted(address, name, ask(address, name, argument).get());
    } catch (ExecutionException e) {
      throw explained(address, e);
    }
  }

  /** Requests a hand-over; once begun, it continues even if no reply arrives. */
  private Answer demandHandOver(String address, String name, String argument)
      throws IOException, InterruptedException {
    try {
      return accepted(
          address,
          name,
          client.ask(ManagerAccess.address(address), name, argument, HAND_OVER_PATIENCE).get());
    } catch (ExecutionException e) {
      CommandException explained = explained(address, e);
      throw cause(e) instanceof TransactionManagerException known
              && known.kind() == Kind.UNAVAILABLE
          ? new CommandException(
              String.valueOf(explained.getMessage()),
              "if it was reached, the hand-over may be under way or done: 'lampone tm status'"
                  + " shows it",
              e)
          : explained;
    }
  }

  private static Answer accepted(String address, String name, CommandAnswer answer)
      throws IOException {
    if (!answer.succeeded()) {
      throw new CommandException(
          name + " was refused by " + address + ": " + answer.text(), advice(answer));
    }
    return new Answer(address, MAPPER.readTree(answer.text()));
  }

  private static ManagersReport.Asked answered(
      String address, CompletableFuture<CommandAnswer> asked)
      throws IOException, InterruptedException {
    try {
      CommandAnswer answer = asked.get();
      return answer.succeeded()
          ? new ManagersReport.Asked(address, Optional.of(MAPPER.readTree(answer.text())), "")
          : new ManagersReport.Asked(address, Optional.empty(), answer.text());
    } catch (ExecutionException e) {
      return new ManagersReport.Asked(
          address, Optional.empty(), String.valueOf(cause(e).getMessage()));
    }
  }

  private static CommandException explained(String address, ExecutionException failure) {
    String advice =
        cause(failure) instanceof TransactionManagerException known
            ? advice(known.kind())
            : "--debug shows the details";
    return new CommandException(
        "the transaction manager at "
            + address
            + " gives no answer: "
            + cause(failure).getMessage(),
        advice,
        failure);
  }

  private static Throwable cause(ExecutionException failure) {
    return Objects.requireNonNullElse(failure.getCause(), failure);
  }

  /** Returns what to do after a refusal. */
  static String advice(CommandAnswer refusal) {
    return refusal.text().startsWith(NOT_PERMITTED)
        ? advice(Kind.REJECTED)
        : "'lampone tm status' lists the transaction managers and their roles";
  }

  private static String advice(Kind kind) {
    return switch (kind) {
      case UNAVAILABLE ->
          "is it running, and can it be reached from here? 'lampone tm status' lists all";
      case INCOMPATIBLE -> "it is of another version: use the lampone command of that version";
      case REJECTED ->
          "commands need an administrator: lampone.client.manager.principal with .secret.file,"
              + " .kerberos=true or a certificate (docs/operations/security.md); without"
              + " authentication, run them on its machine";
      case TOO_LARGE, CLOSED -> "";
    };
  }
}
