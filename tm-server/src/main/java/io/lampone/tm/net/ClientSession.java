package io.lampone.tm.net;

import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.ReportCursor;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.metrics.ClientWorkTotals;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Principal;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The session of a client that has been welcomed. Event loop only. */
public final class ClientSession {

  /**
   * Credentials that a client has shown in its handshake.
   *
   * @param proved whether it has proved its name, by any means
   * @param secret the secret that it has proved to know, if any
   * @param token the delegation token that it has used, if any
   * @param lifetime maximum lifetime of the connection, if limited
   */
  public record Shown(
      boolean proved,
      Optional<SharedSecret> secret,
      Optional<DelegationToken> token,
      Optional<Duration> lifetime) {

    public static final Shown NOTHING =
        new Shown(false, Optional.empty(), Optional.empty(), Optional.empty());

    public static final Shown CERTIFICATE =
        new Shown(true, Optional.empty(), Optional.empty(), Optional.empty());

    /** Returns credentials with a proved secret. */
    public static Shown secret(SharedSecret secret) {
      return new Shown(true, Optional.of(secret), Optional.empty(), Optional.empty());
    }

    /** Returns credentials with a delegation token. */
    public static Shown token(DelegationToken token) {
      return new Shown(true, Optional.empty(), Optional.of(token), Optional.empty());
    }

    /** Returns credentials with a Kerberos ticket that is valid for so long. */
    public static Shown ticket(Duration lifetime) {
      return new Shown(true, Optional.empty(), Optional.empty(), Optional.of(lifetime));
    }
  }

  /**
   * Open transactions of the client, as it has reported them.
   *
   * @param open the oldest ones, oldest first
   * @param nanos time of the report, on the monotonic clock
   */
  record Reported(List<ProgressReport.Open> open, long nanos) {}

  /**
   * Hot rows of the client, as it has reported them.
   *
   * @param nanos time of the report, on the monotonic clock
   */
  record ReportedRows(List<HotRow> rows, long nanos) {}

  /**
   * State of the region server at the other end, as it has reported it.
   *
   * @param nanos time of the report, on the monotonic clock
   */
  record ReportedServer(ServerReport report, long nanos) {}

  private final Principal principal;
  private final String tenantName;
  private final long capabilities;
  private final long epoch;
  private final boolean reserved;
  private final Shown shown;

  /** Tenant to which the session is accounted; changes with the quotas. */
  private Tenant tenant;

  /** Replies passed to its channel that the socket has not accepted yet. */
  private int outstanding;

  /** The last report of open transactions. Read by other threads. */
  private volatile Reported reported = new Reported(List.of(), 0);

  /** The last report of hot rows. Read by other threads. */
  private volatile ReportedRows hotRows = new ReportedRows(List.of(), 0);

  /** The last report of a region server. Read by other threads. */
  private volatile Optional<ReportedServer> server = Optional.empty();

  /** Called when the session ends. */
  private Runnable uncount = () -> {};

  /**
   * @param principal the client's principal
   * @param tenantName the name of its tenant
   * @param tenant the tenant to which the session is accounted already
   * @param capabilities capabilities of both ends
   * @param epoch the epoch in the welcome; 0 if this is not a primary and only commands are
   *     accepted
   * @param reserved whether it is accounted to the reserve, for commands only
   * @param shown its credentials
   */
  public ClientSession(
      Principal principal,
      String tenantName,
      Tenant tenant,
      long capabilities,
      long epoch,
      boolean reserved,
      Shown shown) {
    this.principal = principal;
    this.tenantName = tenantName;
    this.tenant = tenant;
    this.capabilities = capabilities;
    this.epoch = epoch;
    this.reserved = reserved;
    this.shown = shown;
  }

  /** Sets an action for the end of the session, which removes it from another count. */
  public void onLeave(Runnable action) {
    uncount = action;
  }

  public Principal principal() {
    return principal;
  }

  /** Returns true if the client has proved its name. */
  boolean isProved() {
    return shown.proved();
  }

  /** Returns its identity for the audit log. */
  public AuditLog.Source source(Channel channel) {
    return new AuditLog.Source(
        principal.name(), isProved(), String.valueOf(channel.remoteAddress()));
  }

  /** Returns the maximum lifetime of the connection, if limited. */
  Optional<Duration> lifetime() {
    return shown.lifetime();
  }

  /** Returns the delegation token that the client has used, if any. */
  Optional<DelegationToken> token() {
    return shown.token();
  }

  /** Returns true if its credentials would still be accepted. */
  boolean stands(Authenticator authenticator) {
    return shown.token().isPresent()
        ? authenticator.stands(principal, shown.token().get())
        : authenticator.stands(principal, shown.secret());
  }

  public Tenant tenant() {
    return tenant;
  }

  public long capabilities() {
    return capabilities;
  }

  public long epoch() {
    return epoch;
  }

  /** Returns the number of replies passed to its channel that the socket has not accepted yet. */
  int outstanding() {
    return outstanding;
  }

  /** Adds to the number of outstanding replies; may be negative. */
  void addOutstanding(int replies) {
    outstanding += replies;
    tenant.addOutstanding(replies);
  }

  /** Stores what these requests report; leaves the cursor as it was. */
  void report(RequestCursor requests, ClientWorkTotals work, long nowNanos) {
    while (requests.next()) {
      if (requests.type() != RequestType.PROGRESS) {
        continue;
      }
      ReportCursor report = requests.report();
      if (report.lists()) {
        List<ProgressReport.Open> open =
            report.open().stream()
                .sorted((one, two) -> Integer.compareUnsigned(two.ageMillis(), one.ageMillis()))
                .toList();
        reported = new Reported(open, nowNanos);
      }
      if (report.listsHotRows()) {
        hotRows = new ReportedRows(report.hotRows(), nowNanos);
      }
      report.work(work::add);
      if (principal.roles().contains(Principal.Role.REGION)) {
        report
            .server()
            .ifPresent(state -> server = Optional.of(new ReportedServer(state, nowNanos)));
      }
    }
    requests.rewind();
  }

  /** Returns the last report of open transactions. */
  Reported reported() {
    return reported;
  }

  /** Returns the last report of hot rows. */
  ReportedRows hotRows() {
    return hotRows;
  }

  /** Returns the last report of the region server at the other end, if it is one. */
  Optional<ReportedServer> server() {
    return server;
  }

  /** Moves the session to its tenant after a change of the quotas. */
  public void recount(Tenants tenants) {
    Tenant now = reserved ? tenants.reserve() : tenants.find(tenantName);
    tenant.handOver(now, outstanding);
    tenant = now;
  }

  /** Ends the session. */
  public void leave() {
    tenant.disconnect();
    uncount.run();
  }

  /** Returns true if both ends support all of {@code wanted}. */
  boolean can(long wanted) {
    return Capabilities.has(capabilities, wanted);
  }

  /** Returns true if its requests may be executed. */
  public boolean mayRequest() {
    return epoch > 0 && !reserved && principal.mayRequest();
  }

  /** Returns true if its commands may be executed. */
  public boolean mayAdminister() {
    return principal.mayAdminister();
  }
}
