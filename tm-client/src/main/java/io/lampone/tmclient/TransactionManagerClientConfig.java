package io.lampone.tmclient;

import io.lampone.protocol.connect.ClientSecurity;
import java.time.Duration;

/**
 * Configuration of a client of the transaction manager.
 *
 * @param requestTimeout time limit of a request with all its repetitions
 * @param connectTimeout time limit for finding the primary, connecting and handshake
 * @param stallTimeout silence of the server, while a request waits, after which the client looks
 *     for the primary elsewhere
 * @param maxOutstanding maximum requests under way; further ones fail at once
 * @param maxBatchesInFlight maximum frames under way; meanwhile, requests are collected for the
 *     next one
 * @param backoffCap maximum pause before a repetition, unless the server asks for a longer one
 * @param security the mutual authentication of client and server
 */
public record TransactionManagerClientConfig(
    Duration requestTimeout,
    Duration connectTimeout,
    Duration stallTimeout,
    int maxOutstanding,
    int maxBatchesInFlight,
    Duration backoffCap,
    ClientSecurity security) {

  private static final int HIGHEST_BATCHES_IN_FLIGHT = 64;

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder that starts with the defaults. */
  public static final class Builder {

    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(2);
    private Duration stallTimeout = Duration.ofSeconds(1);
    private int maxOutstanding = 1 << 16;
    private int maxBatchesInFlight = 4;
    private Duration backoffCap = Duration.ofSeconds(1);
    private ClientSecurity security = ClientSecurity.NONE;

    private Builder() {}

    public Builder requestTimeout(Duration value) {
      requestTimeout = value;
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = value;
      return this;
    }

    public Builder stallTimeout(Duration value) {
      stallTimeout = value;
      return this;
    }

    public Builder maxOutstanding(int value) {
      maxOutstanding = value;
      return this;
    }

    public Builder maxBatchesInFlight(int value) {
      maxBatchesInFlight = value;
      return this;
    }

    public Builder backoffCap(Duration value) {
      backoffCap = value;
      return this;
    }

    public Builder security(ClientSecurity value) {
      security = value;
      return this;
    }

    /**
     * Checks all values and creates the configuration.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public TransactionManagerClientConfig build() {
      positive("timeout", requestTimeout);
      positive("connect.timeout", connectTimeout);
      positive("stall.timeout", stallTimeout);
      within("outstanding", maxOutstanding, Integer.MAX_VALUE);
      within("frames.in.flight", maxBatchesInFlight, HIGHEST_BATCHES_IN_FLIGHT);
      positive("backoff.cap", backoffCap);
      return new TransactionManagerClientConfig(
          requestTimeout,
          connectTimeout,
          stallTimeout,
          maxOutstanding,
          maxBatchesInFlight,
          backoffCap,
          security);
    }

    private static void positive(String name, Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException(
            "property out of range, name="
                + ClientProperties.PREFIX
                + name
                + " value="
                + value
                + " must be at least 1ms");
      }
    }

    private static void within(String name, int value, int highest) {
      if (value < 1 || value > highest) {
        throw new IllegalArgumentException(
            "property out of range, name="
                + ClientProperties.PREFIX
                + name
                + " value="
                + value
                + " must be between 1 and "
                + highest);
      }
    }
  }
}
