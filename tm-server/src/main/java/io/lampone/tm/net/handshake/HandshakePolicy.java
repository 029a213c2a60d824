package io.lampone.tm.net.handshake;

import io.lampone.protocol.connect.TrustFailures;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.net.AuditLog;
import io.lampone.tm.net.ClientSession;
import io.lampone.tm.net.CommandLog;
import io.lampone.tm.net.LogBudget;
import io.lampone.tm.net.Policies;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.net.ServerMetrics;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Principal;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.TlsContext;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Policy of all handshakes: their context, those under way, and reports on rejected clients. Event
 * loop only.
 */
public final class HandshakePolicy implements HandshakeContext {

  private static final Logger LOG = LoggerFactory.getLogger(HandshakePolicy.class);

  /** Capabilities of this server beyond its version. */
  private static final long CAPABILITIES =
      Capabilities.SECRET
          | Capabilities.PRIORITY
          | Capabilities.GOODBYE
          | Capabilities.COMMANDS
          | Capabilities.TRANSFER
          | Capabilities.ASSIGNED
          | Capabilities.PROGRESS
          | Capabilities.HOT_ROWS
          | Capabilities.WORK
          | Capabilities.BUCKETS
          | Capabilities.RESERVATIONS
          | Capabilities.OWNERSHIP
          | Capabilities.SASL;

  /** Maximum connections in the handshake from one address. */
  private static final int MAX_HALF_OPEN_OF_ADDRESS = 8;

  /** Time that a handshake has before it gives way to another one from its address. */
  private static final Duration GRACE = Duration.ofMillis(250);

  private final ServerLimits limits;
  private final Security security;
  private final Supplier<Optional<ManagerRecord>> leading;
  private final ServerMetrics metrics;
  private final ConnectionLimit pendingHandshakes;
  private final ConnectionSlots slots;
  private final LogBudget budget;
  private final CommandLog commands;
  private final AuditLog audit;

  public HandshakePolicy(
      Policies policies,
      Tenants tenants,
      Clock clock,
      Supplier<Optional<ManagerRecord>> leading,
      ServerMetrics metrics) {
    this.limits = policies.limits();
    this.security = policies.security();
    this.leading = leading;
    this.metrics = metrics;
    this.pendingHandshakes =
        new ConnectionLimit(
            policies.admission().maxHalfOpen(), MAX_HALF_OPEN_OF_ADDRESS, GRACE, clock);
    this.slots =
        new ConnectionSlots(
            tenants, new PrincipalConnections(policies.admission(), metrics::crowded));
    this.budget = new LogBudget(clock);
    this.commands = new CommandLog(clock);
    this.audit = new AuditLog(clock);
  }

  @Override
  public Authenticator authenticator() {
    return security.authenticator();
  }

  @Override
  public ServerLimits limits() {
    return limits;
  }

  @Override
  public long capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Optional<ManagerRecord> leading() {
    return leading.get();
  }

  @Override
  public ConnectionSlots slots() {
    return slots;
  }

  /** Returns the context of the next TLS handshake; empty for plain text. */
  public Optional<TlsContext> tls() {
    return security.tls();
  }

  /** Returns true if clients without TLS are refused. */
  public boolean demandsTls() {
    return security.demandsTls();
  }

  /** Returns true if a protection is being enabled and clients without it are still served. */
  public boolean isPermissive() {
    return security.authenticator().isPermissive()
        || security.tls().isPresent() && !security.demandsTls();
  }

  /** Registers a new connection. */
  public void arrived(Channel channel) {
    if (pendingHandshakes.add(channel)) {
      metrics.handshakeDisplaced();
    }
  }

  /** Ends a handshake, whatever its result. */
  public void settled(Channel channel) {
    pendingHandshakes.remove(channel);
  }

  public int pendingHandshakes() {
    return pendingHandshakes.size();
  }

  @Override
  public void rejected(
      Handshake.Reason reason, String claimedPrincipal, AcceptedConnection arrival) {
    metrics.rejected(reason);
    if (reason == Handshake.Reason.CREDENTIAL) {
      audit.happened(
          new AuditLog.Source(claimedPrincipal, false, arrival.origin()),
          "handshake",
          "",
          "refused");
    }
    // Every client in search of the primary asks each backup: not worth a line.
    if (reason != Handshake.Reason.NOT_PRIMARY && budget.allows()) {
      LOG.warn(
          "client turned away, reason={} principal={} remote={} notLogged={}",
          reason,
          claimedPrincipal,
          arrival.origin(),
          budget.takeSuppressed());
    }
  }

  /** Returns the log of administrative actions and refusals. */
  public AuditLog audit() {
    return audit;
  }

  /** Reports a handshake that has exceeded its time limit. */
  public void timedOut(Channel channel) {
    metrics.handshakeTimedOut();
    if (budget.allows()) {
      LOG.warn(
          "client too slow in the handshake, remote={} notLogged={}",
          channel.remoteAddress(),
          budget.takeSuppressed());
    }
  }

  /** Reports a client's timestamp that this primary cannot have issued. */
  public void suspicious(Channel channel, long timestamp) {
    metrics.suspicious();
    if (budget.allows()) {
      LOG.warn(
          "timestamp at or above the bound, timestamp={} remote={} notLogged={}",
          timestamp,
          channel.remoteAddress(),
          budget.takeSuppressed());
    }
  }

  /** Reports a client that has validated a transaction without proving that it is its own. */
  public void unowned(Channel channel, ClientSession clientSession, long startTimestamp) {
    metrics.unowned();
    audit.happened(
        clientSession.source(channel), "validate", "startTimestamp=" + startTimestamp, "refused");
  }

  /** Reports a client that was disconnected for not taking its replies. */
  public void dawdled(Channel channel) {
    metrics.dawdled();
    if (budget.allows()) {
      LOG.warn(
          "client does not take its replies, remote={} notLogged={}",
          channel.remoteAddress(),
          budget.takeSuppressed());
    }
  }

  /** Reports a client that was disconnected for not completing a frame. */
  public void unended(Channel channel) {
    metrics.unended();
    if (budget.allows()) {
      LOG.warn(
          "client does not end a frame that it has begun, remote={} notLogged={}",
          channel.remoteAddress(),
          budget.takeSuppressed());
    }
  }

  /** Logs a command; {@code known} tells whether it exists. */
  public void command(boolean known, String name, Principal principal) {
    commands.command(known, name, principal.name());
  }

  /** Reports a TLS handshake that has failed or is impossible. */
  void tlsFailed(Channel channel, Optional<Throwable> cause) {
    metrics.tlsFailed();
    if (budget.allows()) {
      LOG.warn(
          "TLS handshake failed, remote={} cause={} notLogged={}",
          channel.remoteAddress(),
          cause.map(HandshakePolicy::explained).orElse("this port talks plain text"),
          budget.takeSuppressed());
    }
  }

  private static String explained(Throwable failure) {
    return TrustFailures.untimely("the client's certificate", failure).orElseGet(failure::toString);
  }
}
