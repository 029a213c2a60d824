package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.command.ConnectedClients;
import io.lampone.tm.command.HotRowTable;
import io.lampone.tm.command.OpenTransactionReport;
import io.lampone.tm.command.RegionServerReport;
import io.lampone.tm.command.SecurityProgress;
import io.lampone.tm.metrics.ClientWorkTotals;
import io.lampone.tm.net.handshake.HandshakePolicy;
import io.lampone.tm.security.Authenticator;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Reports on the connected clients. Any thread; approximate while connections come and go. */
public final class ClientReports implements ConnectedClients {

  /** Age from which on a list of hot rows is dropped: clients repeat theirs every second. */
  private static final Duration HOT_ROWS_EXPIRY = Duration.ofSeconds(10);

  /** Age from which on the state of a region server is dropped: it is repeated every second. */
  private static final Duration SERVER_EXPIRY = Duration.ofSeconds(30);

  /** Maximum number of region servers listed. */
  private static final int MAX_SERVERS = 200;

  private final ChannelGroup connections;
  private final HandshakePolicy desk;
  private final Clock clock;
  private final ClientWorkTotals work;

  ClientReports(
      ChannelGroup connections, HandshakePolicy desk, Clock clock, ClientWorkTotals work) {
    this.work = work;
    this.connections = connections;
    this.desk = desk;
    this.clock = clock;
  }

  /** Stores what these requests report, if anything; leaves the cursor as it was. */
  void received(ClientSession session, RequestCursor requests) {
    if (requests.report().inFrame() > 0) {
      session.report(requests, work, clock.monotonicNanos());
    }
  }

  /**
   * Returns the connection with the most unread replies, among those of the principal with the
   * most; event loop only.
   */
  Optional<Channel> slowest() {
    Map<Channel, ClientSession> slow = new HashMap<>();
    Map<String, Integer> ofPrincipal = new HashMap<>();
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      if (client != null && client.clientSession().filter(s -> s.outstanding() > 0).isPresent()) {
        ClientSession session = client.clientSession().get();
        slow.put(connection, session);
        ofPrincipal.merge(session.principal().name(), session.outstanding(), Integer::sum);
      }
    }
    return slow.entrySet().stream()
        .max(
            Comparator.<Map.Entry<Channel, ClientSession>>comparingInt(
                    each -> ofPrincipal.getOrDefault(each.getValue().principal().name(), 0))
                .thenComparingInt(each -> each.getValue().outstanding()))
        .map(Map.Entry::getKey);
  }

  /** The oldest open transaction of a client that is not listed yet. */
  private record Next(ClientSession.Reported list, int index, OpenTransactionReport report) {}

  /** Merges the clients' lists, each of which is in order: those beyond the limit cost nothing. */
  @Override
  public OpenTransactions openTransactions(int most, Predicate<String> whose) {
    int count = 0;
    Queue<Next> next =
        new PriorityQueue<>(Comparator.comparing(Next::report, OpenTransactionReport.OLDEST_FIRST));
    long now = clock.monotonicNanos();
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      Optional<ClientSession> session = client == null ? Optional.empty() : client.clientSession();
      if (session.isPresent() && whose.test(session.get().principal().name())) {
        ClientSession.Reported list = session.get().reported();
        count += list.open().size();
        if (!list.open().isEmpty()) {
          String principal = session.get().principal().name();
          String remote = String.valueOf(connection.remoteAddress());
          next.add(next(list, 0, principal, remote, now));
        }
      }
    }
    List<OpenTransactionReport> oldest = new ArrayList<>();
    while (oldest.size() < most && !next.isEmpty()) {
      Next first = next.remove();
      OpenTransactionReport report = first.report();
      oldest.add(report);
      if (first.index() + 1 < first.list().open().size()) {
        next.add(next(first.list(), first.index() + 1, report.principal(), report.remote(), now));
      }
    }
    return new OpenTransactions(count, oldest);
  }

  private static Next next(
      ClientSession.Reported list, int index, String principal, String remote, long now) {
    return new Next(
        list,
        index,
        OpenTransactionReport.of(list.open().get(index), principal, remote, now - list.nanos()));
  }

  @Override
  public HotRowTable hotRows() {
    HotRowTable table = new HotRowTable();
    long now = clock.monotonicNanos();
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      Optional<ClientSession> session = client == null ? Optional.empty() : client.clientSession();
      if (session.isPresent()) {
        ClientSession.ReportedRows reported = session.get().hotRows();
        if (!reported.rows().isEmpty() && now - reported.nanos() < HOT_ROWS_EXPIRY.toNanos()) {
          table.add(
              session.get().principal().name(),
              String.valueOf(connection.remoteAddress()),
              reported.rows());
        }
      }
    }
    return table;
  }

  @Override
  public List<RegionServerReport> regionServers() {
    // A region server that has just reconnected may have two sessions.
    Map<String, RegionServerReport> newest = new TreeMap<>();
    long now = clock.monotonicNanos();
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      Optional<ClientSession> session = client == null ? Optional.empty() : client.clientSession();
      session
          .flatMap(ClientSession::server)
          .map(each -> new RegionServerReport(each.report(), now - each.nanos()))
          .filter(each -> each.ageNanos() < SERVER_EXPIRY.toNanos() && newest.size() < MAX_SERVERS)
          .ifPresent(
              each ->
                  newest.merge(
                      each.report().server(),
                      each,
                      (one, other) -> one.ageNanos() < other.ageNanos() ? one : other));
    }
    return List.copyOf(newest.values());
  }

  @Override
  public ClientWorkTotals work() {
    return work;
  }

  @Override
  public List<String> without(long capability) {
    List<String> found = new ArrayList<>();
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      long capabilities =
          client == null ? 0 : client.clientSession().map(ClientSession::capabilities).orElse(0L);
      // Only clients for transactions have ever given priorities.
      if (Capabilities.has(capabilities, Capabilities.PRIORITY)
          && !Capabilities.has(capabilities, capability)) {
        found.add(String.valueOf(connection.remoteAddress()));
      }
    }
    return found;
  }

  @Override
  public SecurityProgress securityProgress() {
    List<SecurityProgress.Missing> missing = new ArrayList<>();
    boolean proof = desk.authenticator().mode() != Authenticator.Mode.NONE;
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      Optional<ClientSession> clientSession =
          client == null ? Optional.empty() : client.clientSession();
      boolean tls = desk.tls().isEmpty() || connection.pipeline().get(SslHandler.class) != null;
      if (clientSession.isPresent()
          && connection.remoteAddress() instanceof InetSocketAddress from
          && (proof && !clientSession.get().isProved() || !tls)) {
        missing.add(
            new SecurityProgress.Missing(
                clientSession.get().principal().name(),
                from.getAddress().getHostAddress(),
                !proof || clientSession.get().isProved(),
                tls));
      }
    }
    return new SecurityProgress(desk.isPermissive(), missing);
  }
}
