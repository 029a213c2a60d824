package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The secret shared by the transaction managers of a cluster, from which the keys of all terms are
 * derived. A takeover therefore transfers no key, and neither ZooKeeper nor cells hold a secret.
 */
public final class ClusterKey implements KeyRing {

  /** Length of a cluster key, in bytes. */
  public static final int BYTES = 32;

  private static final byte[] SALT = "lampone cluster key 1".getBytes(StandardCharsets.US_ASCII);

  /** The public key used without a key file: same code, no protection. */
  public static final ClusterKey OPEN = new ClusterKey(Bytes.wrap(new byte[BYTES]));

  /** Maximum number of cached terms; requests name the terms of a few days. */
  private static final int MAX_REMEMBERED = 256;

  /** Secrets from which term keys are derived, by the first term to which each applies. */
  private final NavigableMap<Integer, byte[]> extracted = new TreeMap<>();

  private final ConcurrentMap<Integer, TermKeys> remembered = new ConcurrentHashMap<>();

  /**
   * Creates a ring with one key for all terms.
   *
   * @throws IllegalArgumentException if it does not have {@link #BYTES} bytes
   */
  public ClusterKey(Bytes key) {
    this(Map.of(0, key));
  }

  /**
   * Creates a ring of keys that replace each other.
   *
   * @param keys the keys by the first term to which each applies
   * @throws IllegalArgumentException if there is none, or one does not have {@link #BYTES} bytes
   */
  public ClusterKey(Map<Integer, Bytes> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("no cluster key");
    }
    keys.forEach(
        (term, key) -> {
          if (key.length() != BYTES) {
            throw new IllegalArgumentException(
                "a cluster key has another length, bytes=" + key.length() + " required=" + BYTES);
          }
          extracted.put(term, TermKeys.hmac(SALT, key.unsafeArray()));
        });
  }

  @Override
  public Optional<TermKeys> keys(int term) {
    TermKeys known = remembered.get(term);
    if (known == null) {
      Map.Entry<Integer, byte[]> counts = extracted.floorEntry(term);
      if (counts == null) {
        return Optional.empty();
      }
      known = new TermKeys(Bytes.wrap(TermKeys.expand(counts.getValue(), "term " + term)));
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
