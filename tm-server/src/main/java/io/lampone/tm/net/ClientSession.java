package io.lampone.tm.net;

import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Principal;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Optional;

/** A client that has been welcomed. Event loop only. */
public final class ClientSession {

  /**
   * Credentials that a client has shown in its handshake.
   *
   * @param proved whether it has proved its name, by any means
   * @param secret the secret that it has proved to know, if any
   * @param token the delegation token by which it was proved, if any
   * @param lifetime how long the connection lasts at most, if that is limited
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

    /** A secret. */
    public static Shown secret(SharedSecret secret) {
      return new Shown(true, Optional.of(secret), Optional.empty(), Optional.empty());
    }

    /** A delegation token. */
    public static Shown token(DelegationToken token) {
      return new Shown(true, Optional.empty(), Optional.of(token), Optional.empty());
    }

    /** A Kerberos ticket, which is believed for so long. */
    public static Shown ticket(Duration lifetime) {
      return new Shown(true, Optional.empty(), Optional.empty(), Optional.of(lifetime));
    }
  }

  private final Principal principal;
  private final String tenantName;
  private final long capabilities;
  private final long epoch;
  private final boolean reserved;
  private final Shown shown;

  /** Tenant under which its share is counted; changes with the quotas. */
  private Tenant tenant;

  /** Replies given to its channel that the socket has not taken yet. */
  private int outstanding;

  /** Called when it has gone. */
  private Runnable uncount = () -> {};

  /**
   * @param principal who it is
   * @param tenantName under which name it came
   * @param tenant where its share is counted, and it is already
   * @param capabilities what both ends can do
   * @param epoch the epoch that it was told; 0 if this is no primary and only commands are taken
   * @param reserved whether it is counted in the reserve, for commands only
   * @param shown how it was let in
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

  /** It is counted elsewhere, too, until this is called. */
  public void onLeave(Runnable action) {
    uncount = action;
  }

  public Principal principal() {
    return principal;
  }

  /** Returns true if it has proved its name. */
  boolean isProved() {
    return shown.proved();
  }

  /** Returns the names by which the audit log knows it. */
  public AuditLog.Source source(Channel channel) {
    return new AuditLog.Source(
        principal.name(), isProved(), String.valueOf(channel.remoteAddress()));
  }

  /** The longest time for which the connection lasts, if that is limited. */
  Optional<Duration> lifetime() {
    return shown.lifetime();
  }

  /** The delegation token by which it was let in, if that is how. */
  Optional<DelegationToken> token() {
    return shown.token();
  }

  /** Returns true if its credentials would admit it again. */
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

  /** Replies given to its channel that the socket has not taken yet. */
  int outstanding() {
    return outstanding;
  }

  /** Counts replies that wait to be taken, or that no longer do. */
  void addOutstanding(int replies) {
    outstanding += replies;
    tenant.addOutstanding(replies);
  }

  /** Quotas have changed: it is counted where its tenant is counted now. */
  public void recount(Tenants tenants) {
    Tenant now = reserved ? tenants.reserve() : tenants.find(tenantName);
    tenant.handOver(now, outstanding);
    tenant = now;
  }

  /** It has gone. */
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

  /** Returns true if its commands may be carried out. */
  public boolean mayAdminister() {
    return principal.mayAdminister();
  }
}
