package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Member;
import io.lampone.tm.admission.Quota;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.status.DebugDump;
import io.lampone.tm.core.status.NodeStatus;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Commands about the state of a server, for operators:
 *
 * <pre>
 *   status                      status of this process, and the other members
 *   inspect  timestamp=T        entry of a transaction in memory; the newest entries
 *   accept-record               this process accepts the record as it is, although it went back
 * </pre>
 */
public final class StatusCommands {

  private static final String TIMESTAMP = "timestamp";

  /** Maximum number of clients listed as lacking a protection. */
  private static final int MAX_UNSECURED = 100;

  /** Maximum number of open transactions listed. */
  private static final int MAX_OPEN = 10;

  private final ManagerNode node;
  private final Members members;
  private final IntSupplier connections;
  private final Supplier<Traffic> traffic;
  private final Supplier<List<Tenant>> tenants;
  private final ConnectedClients clients;
  private final Executor loop;

  public StatusCommands(
      ManagerNode node,
      Members members,
      IntSupplier connections,
      Supplier<Traffic> traffic,
      Supplier<List<Tenant>> tenants,
      ConnectedClients clients,
      Executor loop) {
    this.traffic = traffic;
    this.tenants = tenants;
    this.clients = clients;
    this.node = node;
    this.members = members;
    this.connections = connections;
    this.loop = loop;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands
        .add("status", Access.EVERYBODY, this::status)
        .add("inspect", Access.ADMINISTRATOR, this::inspect)
        .add("accept-record", Access.ADMINISTRATOR, this::acceptRecord);
  }

  private CompletableFuture<String> status(String argument, Commands.Sender sender) {
    CommandArguments.parse(argument, List.of());
    // Without ZooKeeper the members are unknown; the rest is then all the more useful.
    return members
        .recent()
        .exceptionally(failure -> List.of())
        .thenApplyAsync(list -> statusOf(node.status(), list, sender.mayAdminister()), loop);
  }

  /** Returns the status; unless {@code inFull} without the data of other clients. */
  private String statusOf(NodeStatus status, List<Member> present, boolean inFull) {
    return Json.object(
        json -> {
          json.writeStringField("role", status.role());
          json.writeStringField("holder", status.holder());
          json.writeStringField("address", status.address());
          json.writeBooleanField("draining", status.draining());
          json.writeBooleanField("recordTrusted", node.vitals().recordTrusted());
          json.writeStringField("clockComplaint", node.vitals().clockComplaint());
          json.writeNumberField("clockAheadMillis", node.trust().wall().aheadMillis());
          json.writeNumberField("clockWitnesses", node.trust().wall().witnesses());
          json.writeBooleanField("clusterKey", node.hasClusterKey());
          if (inFull) {
            json.writeNumberField("connections", connections.getAsInt());
            json.writeObjectFieldStart("traffic");
            traffic.get().writeTo(json);
            json.writeEndObject();
          }
          if (status.record().isPresent()) {
            json.writeObjectFieldStart("record");
            write(status.record().get(), json);
            json.writeEndObject();
          }
          if (status.tables().isPresent()) {
            json.writeObjectFieldStart("primary");
            write(status.tables().get(), inFull, json);
            json.writeEndObject();
          }
          if (inFull) {
            json.writeArrayFieldStart("tenants");
            for (Tenant tenant : tenants.get()) {
              write(tenant, json);
            }
            json.writeEndArray();
            write(clients.securityProgress(), json);
            writeOpen(clients.openTransactions(MAX_OPEN, principal -> true), json);
            clients.hotRows().writeTo(json);
            clients.work().writeTo(json);
            json.writeArrayFieldStart("regionServers");
            for (RegionServerReport each : clients.regionServers()) {
              each.writeTo(json);
            }
            json.writeEndArray();
          }
          json.writeArrayFieldStart("members");
          for (Member member : present) {
            json.writeStartObject();
            json.writeStringField("holder", member.holder());
            json.writeStringField("address", member.address());
            json.writeNumberField("sinceMillis", member.sinceMillis());
            json.writeStringField("version", member.version());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private static void writeOpen(ConnectedClients.OpenTransactions open, JsonGenerator json)
      throws IOException {
    json.writeObjectFieldStart("openTransactions");
    json.writeNumberField("reported", open.reported());
    json.writeArrayFieldStart("oldest");
    for (OpenTransactionReport each : open.oldest()) {
      each.writeTo(json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Writes each client once, with the number of its connections, up to a limit. */
  private static void write(SecurityProgress progress, JsonGenerator json) throws IOException {
    Map<SecurityProgress.Missing, Integer> counts = new LinkedHashMap<>();
    progress.missing().forEach(client -> counts.merge(client, 1, Integer::sum));
    json.writeBooleanField("permissive", progress.permissive());
    json.writeNumberField("unsecuredClients", counts.size());
    json.writeArrayFieldStart("unsecured");
    List<Map.Entry<SecurityProgress.Missing, Integer>> shown =
        counts.entrySet().stream().limit(MAX_UNSECURED).toList();
    for (Map.Entry<SecurityProgress.Missing, Integer> each : shown) {
      json.writeStartObject();
      json.writeStringField("principal", each.getKey().principal());
      json.writeStringField("host", each.getKey().host());
      json.writeBooleanField("proved", each.getKey().proved());
      json.writeBooleanField("tls", each.getKey().tls());
      json.writeNumberField("connections", each.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Omits quotas that are unlimited. */
  private static void write(Tenant tenant, JsonGenerator json) throws IOException {
    Quota quota = tenant.quota();
    json.writeStartObject();
    json.writeStringField("name", tenant.name());
    json.writeNumberField("requests", tenant.requests());
    writeQuota("requestsPerSecondQuota", quota.requestsPerSecond(), json);
    json.writeNumberField("connections", tenant.connections());
    writeQuota("connectionsQuota", quota.connections(), json);
    json.writeNumberField("outstanding", tenant.outstanding());
    writeQuota("outstandingQuota", quota.outstanding(), json);
    json.writeNumberField("refusedFrames", tenant.refusals());
    json.writeEndObject();
  }

  private static void writeQuota(String name, int quota, JsonGenerator json) throws IOException {
    if (quota != Quota.UNLIMITED) {
      json.writeNumberField(name, quota);
    }
  }

  private static void write(ManagerRecord record, JsonGenerator json) throws IOException {
    json.writeNumberField("epoch", record.epoch());
    json.writeStringField("holder", record.holder());
    json.writeStringField("address", record.address());
    json.writeBooleanField("released", record.released());
    json.writeNumberField("leaseDurationMillis", record.leaseDurationMillis());
    json.writeNumberField("bound", record.bound());
    json.writeNumberField("floor", record.floor());
    json.writeNumberField("safePoint", record.safePoint());
  }

  private static void write(NodeStatus.Tables tables, boolean inFull, JsonGenerator json)
      throws IOException {
    json.writeNumberField("leaseRemainingMillis", tables.leaseRemainingMillis());
    if (!inFull) {
      return;
    }
    json.writeNumberField("lastTimestamp", tables.last());
    json.writeNumberField("bound", tables.bound());
    json.writeNumberField("safePoint", tables.safePoint());
    json.writeNumberField("conflictEntries", tables.conflicts());
    json.writeNumberField("conflictCapacity", tables.conflictCapacity());
    json.writeNumberField("lowWatermark", tables.lowWatermark());
    json.writeNumberField(
        "watermarkLagMillis",
        tables.lowWatermark() == 0
            ? -1
            : (tables.last() - tables.lowWatermark()) / NodeStatus.TIMESTAMPS_PER_MILLI);
    json.writeNumberField("decisionEntries", tables.decisions());
    json.writeNumberField("decisionCapacity", tables.decisionCapacity());
    json.writeNumberField("horizon", tables.horizon());
    json.writeNumberField(
        "safePointLagMillis",
        tables.safePoint() == 0
            ? -1
            : (tables.last() - tables.safePoint()) / NodeStatus.TIMESTAMPS_PER_MILLI);
    json.writeNumberField("retentionMillis", tables.retention().snapshots().toMillis());
    json.writeNumberField("holds", tables.holds());
    if (tables.oldestHold().isPresent()) {
      Hold oldest = tables.oldestHold().get();
      json.writeObjectFieldStart("oldestHold");
      json.writeStringField("owner", oldest.owner());
      json.writeStringField("name", oldest.name());
      json.writeNumberField("timestamp", oldest.timestamp());
      json.writeNumberField(
          "lagMillis", (tables.last() - oldest.timestamp()) / NodeStatus.TIMESTAMPS_PER_MILLI);
      json.writeNumberField("remainingMillis", oldest.remainingMillis());
      json.writeEndObject();
    }
    json.writeNumberField("safePointPauseMillis", tables.safePointPauseMillis());
    json.writeBooleanField("handingOver", tables.handingOver());
  }

  private CompletableFuture<String> acceptRecord(String argument, Commands.Sender sender) {
    CommandArguments.parse(argument, List.of());
    String accepted = node.acceptRecord();
    return CompletableFuture.completedFuture(
        Json.object(json -> json.writeStringField("accepted", accepted)));
  }

  private CompletableFuture<String> inspect(String argument, Commands.Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(TIMESTAMP));
    DebugDump inspection = node.inspect(arguments.timestamp(TIMESTAMP));
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeNumberField("startTimestamp", inspection.startTimestamp());
              json.writeStringField("status", name(inspection));
              json.writeBooleanField("decided", inspection.decided());
              json.writeNumberField("decisionTimestamp", inspection.timestamp());
              json.writeBooleanField("belowFloor", inspection.belowFloor());
              json.writeArrayFieldStart("newestCommits");
              for (DebugDump.Commit commit : inspection.newestCommits()) {
                json.writeStartObject();
                json.writeStringField("hash", Long.toHexString(commit.hash()));
                json.writeNumberField("commitTimestamp", commit.commitTimestamp());
                json.writeEndObject();
              }
              json.writeEndArray();
              json.writeArrayFieldStart("newestDecisions");
              for (DebugDump.Decision decision : inspection.newestDecisions()) {
                json.writeStartObject();
                json.writeNumberField("startTimestamp", decision.startTimestamp());
                json.writeBooleanField("passed", decision.passed());
                json.writeBooleanField("assigned", decision.assigned());
                json.writeNumberField("timestamp", decision.timestamp());
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }

  private static String name(DebugDump inspection) {
    if (inspection.decided()) {
      return inspection.passed() ? "passed" : inspection.assigned() ? "assigned" : "conflict";
    }
    return inspection.unknown() ? "unknown" : "notRequested";
  }
}
