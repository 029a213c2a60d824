package io.lampone.tm.security;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.SharedSecret;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All principals known to the server. Immutable; a changed file is parsed into a new object.
 *
 * <pre>
 *   file  = *( line newline )
 *   line  = "" | "#" comment | name roles tenants secret      separated by spaces or tabs
 *   roles = role *( "," role )          role = "client" | "region" | "backup" | "administrator"
 *   tenants = "*" | tenant *( "," tenant )
 *   secret = "-" | 16 or more characters without spaces       "-": known by certificate only
 * </pre>
 *
 * <p>A name may have two lines that differ in their secret only: both secrets are accepted, so that
 * a secret can be changed without locking out clients.
 */
public final class Principals {

  /** Maximum number of lines. */
  public static final int MAX_LINES = 10_000;

  /** Maximum number of secrets of a principal. */
  static final int MAX_SECRETS = 2;

  private static final String NAME = "[A-Za-z0-9._@=-]{1,64}";
  private static final String NO_SECRET = "-";
  private static final int FIELDS = 4;

  private final Map<String, Known> known;

  /** Unknown secret with which proofs are compared where there is no other. */
  private final SharedSecret decoy;

  /**
   * Data covered by a client's proof.
   *
   * @param serverNonce from the challenge
   * @param clientNonce from the proof
   * @param credential from the hello
   */
  public record Exchange(Bytes serverNonce, Bytes clientNonce, Bytes credential) {}

  /**
   * A correct proof.
   *
   * @param principal the principal that it proves
   * @param counterMac the server's counterproof
   * @param secret the secret that the client knows
   */
  public record Proven(Principal principal, Bytes counterMac, SharedSecret secret) {}

  private record Known(Principal principal, List<SharedSecret> secrets) {}

  private static final Known UNKNOWN = new Known(Principal.unproved("", false), List.of());

  private Principals(Map<String, Known> known) {
    this.known = known;
    byte[] random = new byte[SharedSecret.LOWEST_BYTES * 2];
    new SecureRandom().nextBytes(random);
    this.decoy = new SharedSecret(Bytes.wrap(random));
  }

  /** Returns true if the text is a legal name of a principal. */
  public static boolean isName(String text) {
    return text.matches(NAME);
  }

  /** Returns an empty set of principals. */
  public static Principals none() {
    return new Principals(Map.of());
  }

  /**
   * Parses the lines of a file.
   *
   * @throws IllegalArgumentException if a line is invalid; the message names the line, never a
   *     secret
   */
  public static Principals parse(List<String> lines) {
    if (lines.size() > MAX_LINES) {
      throw new IllegalArgumentException(
          "too many lines, lines=" + lines.size() + " highest=" + MAX_LINES);
    }
    Map<String, Known> known = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        try {
          add(known, line.split("[ \t]+", -1));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(e.getMessage() + ", line=" + (i + 1), e);
        }
      }
    }
    return new Principals(Map.copyOf(known));
  }

  /** Returns the number of principals. */
  public int size() {
    return known.size();
  }

  /** Returns the principal of that name. */
  public Optional<Principal> find(String name) {
    return Optional.ofNullable(known.get(name)).map(Known::principal);
  }

  /** Returns true if {@code secret} is still one of that principal's. */
  public boolean keeps(String name, SharedSecret secret) {
    return known.getOrDefault(name, UNKNOWN).secrets().stream().anyMatch(secret::isSame);
  }

  /**
   * Verifies a proof of {@code name}. Computes and compares the same number of codes whether the
   * principal exists or not, so that timing does not disclose names.
   */
  public Optional<Proven> prove(String name, Exchange exchange, Bytes mac) {
    Known claimed = known.getOrDefault(name, UNKNOWN);
    Optional<Proven> proven = Optional.empty();
    for (int i = 0; i < MAX_SECRETS; i++) {
      boolean real = i < claimed.secrets().size();
      SharedSecret secret = real ? claimed.secrets().get(i) : decoy;
      Bytes expected =
          secret.clientMac(exchange.serverNonce(), exchange.clientNonce(), exchange.credential());
      Bytes counter =
          secret.serverMac(exchange.serverNonce(), exchange.clientNonce(), exchange.credential());
      if (SharedSecret.same(expected, mac) && real) {
        proven = Optional.of(new Proven(claimed.principal(), counter, secret));
      }
    }
    return proven;
  }

  private static void add(Map<String, Known> known, String[] fields) {
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(
          "not of the form name roles tenants secret, fields=" + fields.length);
    }
    String name = fields[0];
    // Never print an invalid value: where columns are swapped it is the secret.
    require(name.matches(NAME), "the first column is no name of a principal");
    Principal principal = new Principal(name, roles(fields[1]), tenants(fields[2]));
    List<SharedSecret> secrets = secrets(fields[3]);
    Known before = known.get(name);
    if (before != null) {
      require(
          before.principal().equals(principal),
          "second line of a principal with other roles or tenants, name=" + name);
      require(
          !secrets.isEmpty() && before.secrets().size() == 1,
          "more than " + MAX_SECRETS + " secrets, or one that is none, name=" + name);
      secrets = List.of(before.secrets().get(0), secrets.get(0));
    }
    known.put(name, new Known(principal, secrets));
  }

  private static Set<Principal.Role> roles(String field) {
    Set<Principal.Role> roles = EnumSet.noneOf(Principal.Role.class);
    for (String word : field.split(",", -1)) {
      Principal.Role role =
          Arrays.stream(Principal.Role.values())
              .filter(candidate -> candidate.name().toLowerCase(Locale.ROOT).equals(word))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown role in the second column,"
                              + " known=client,region,backup,administrator"));
      roles.add(role);
    }
    return roles;
  }

  private static List<String> tenants(String field) {
    List<String> tenants = new ArrayList<>();
    for (String tenant : field.split(",", -1)) {
      require(
          tenant.equals(Principal.ANY_TENANT) || tenant.matches(NAME),
          "the third column holds what is no name of a tenant");
      tenants.add(tenant);
    }
    return tenants;
  }

  private static List<SharedSecret> secrets(String field) {
    return field.equals(NO_SECRET) ? List.of() : List.of(new SharedSecret(Bytes.utf8(field)));
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem);
    }
  }
}
