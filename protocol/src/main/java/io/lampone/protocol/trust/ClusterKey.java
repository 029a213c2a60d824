package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The secret that the transaction managers of a cluster share, from which the keys of all terms are
 * derived. So a takeover moves no key, and nothing secret is stored in ZooKeeper or in cells.
 */
public final class ClusterKey implements KeyRing {

  /** Bytes of a cluster key. */
  public static final int BYTES = 32;

  private static final byte[] SALT = "lampone cluster key 1".getBytes(StandardCharsets.US_ASCII);

  /** Without a key file: the same code and no protection. */
  public static final ClusterKey OPEN = new ClusterKey(Bytes.wrap(new byte[BYTES]));

  /** Requests name the terms of a few days. */
  private static final int MAX_REMEMBERED = 256;

  private final byte[] extracted;
  private final ConcurrentMap<Integer, TermKeys> remembered = new ConcurrentHashMap<>();

  /**
   * Takes the bytes of the key file.
   *
   * @throws IllegalArgumentException if there are not {@link #BYTES} of them
   */
  public ClusterKey(Bytes key) {
    if (key.length() != BYTES) {
      throw new IllegalArgumentException(
          "a cluster key has another length, bytes=" + key.length() + " required=" + BYTES);
    }
    extracted = TermKeys.hmac(SALT, key.unsafeArray());
  }

  @Override
  public Optional<TermKeys> keys(int term) {
    TermKeys known = remembered.get(term);
    if (known == null) {
      known = new TermKeys(Bytes.wrap(TermKeys.expand(extracted, "term " + term)));
      if (remembered.size() >= MAX_REMEMBERED) {
        remembered.clear();
      }
      remembered.put(term, known);
    }
    return Optional.of(known);
  }

  /** Contains no key. */
  @Override
  public String toString() {
    return "ClusterKey";
  }
}
