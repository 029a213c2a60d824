package io.lampone.protocol.connect;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/**
 * A Kerberos login by the Java platform's module, from a keytab or from the ticket cache of {@code
 * kinit}. It logs in again after four fifths of a ticket's lifetime; existing connections are not
 * affected. Logins with the same settings share one object.
 */
public final class KerberosLogin implements KerberosCredentials {

  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
  private static final Subject NOT_LOGGED_IN = new Subject();

  /** Minimum pause after a failed renewal while the old ticket is valid. */
  private static final long RETRY_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private static final Map<Settings, KerberosLogin> LOGINS = new ConcurrentHashMap<>();

  private record Settings(Optional<String> principal, Optional<Path> keytab, boolean initiator) {}

  private final Settings settings;
  private final Clock clock = SystemClock.INSTANCE;

  private Subject subject = NOT_LOGGED_IN;
  private long retryAtMillis;

  private KerberosLogin(Settings settings) {
    this.settings = settings;
  }

  /** Returns the login of a client with a keytab. */
  public static KerberosLogin ofKeytab(String principal, Path keytab) {
    return login(new Settings(Optional.of(principal), Optional.of(keytab), true));
  }

  /**
   * Returns the login of a client with the ticket cache.
   *
   * @param principal the owner of the tickets; empty for that of the cache
   */
  public static KerberosLogin ofTicketCache(Optional<String> principal) {
    return login(new Settings(principal, Optional.empty(), true));
  }

  /** Returns the login of a server, which verifies tickets with its keytab, without a KDC. */
  public static KerberosLogin ofServer(String principal, Path keytab) {
    return login(new Settings(Optional.of(principal), Optional.of(keytab), false));
  }

  private static KerberosLogin login(Settings settings) {
    return LOGINS.computeIfAbsent(settings, KerberosLogin::new);
  }

  @Override
  @SuppressWarnings("removal") // its replacement exists since Java 18
  public <T> T runWith(PrivilegedExceptionAction<T> action) throws Exception {
    try {
      return Subject.doAs(current(), action);
    } catch (PrivilegedActionException e) {
      throw e.getException();
    }
  }

  private synchronized Subject current() throws LoginException {
    Optional<KerberosTicket> granting =
        subject.getPrivateCredentials(KerberosTicket.class).stream()
            .filter(KerberosLogin::isGranting)
            .findFirst();
    long now = clock.wallMillis();
    boolean usable =
        settings.initiator()
            ? granting.filter(ticket -> now < ticket.getEndTime().getTime()).isPresent()
            : subject != NOT_LOGGED_IN;
    boolean renew = granting.filter(ticket -> isOld(ticket, now)).isPresent();
    if (!usable || renew && now >= retryAtMillis) {
      try {
        subject = logIn();
      } catch (LoginException e) {
        if (!usable) {
          throw e;
        }
        retryAtMillis = now + RETRY_MILLIS;
      }
    }
    return subject;
  }

  private static boolean isGranting(KerberosTicket ticket) {
    return ticket.getServer().getName().startsWith("krbtgt/");
  }

  private static boolean isOld(KerberosTicket ticket, long nowMillis) {
    long end = ticket.getEndTime().getTime();
    long begin = Optional.ofNullable(ticket.getStartTime()).orElse(ticket.getAuthTime()).getTime();
    return nowMillis > end - (end - begin) / 5;
  }

  private Subject logIn() throws LoginException {
    Subject fresh = new Subject();
    new LoginContext("lampone", fresh, null, new Module(settings)).login();
    return fresh;
  }

  /** In-memory equivalent of a JAAS file. */
  private static final class Module extends Configuration {

    private final AppConfigurationEntry entry;

    Module(Settings settings) {
      Map<String, String> options = new HashMap<>();
      options.put("doNotPrompt", "true");
      options.put("refreshKrb5Config", "true");
      options.put("isInitiator", String.valueOf(settings.initiator()));
      settings.principal().ifPresent(principal -> options.put("principal", principal));
      if (settings.keytab().isPresent()) {
        options.put("useKeyTab", "true");
        options.put("keyTab", settings.keytab().get().toAbsolutePath().toString());
        options.put("storeKey", String.valueOf(!settings.initiator()));
      } else {
        options.put("useTicketCache", "true");
      }
      entry = new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options);
    }

    @Override
    public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String name) {
      return new AppConfigurationEntry[] {entry};
    }
  }
}
