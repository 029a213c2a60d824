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

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder that starts with the defaults. */
  public static final class Builder {

    private Duration requestTimeout = ClientProperties.TIMEOUT.defaultValue();
    private Duration connectTimeout = ClientProperties.CONNECT_TIMEOUT.defaultValue();
    private Duration stallTimeout = ClientProperties.STALL_TIMEOUT.defaultValue();
    private int maxOutstanding = ClientProperties.OUTSTANDING.defaultValue();
    private int maxBatchesInFlight = ClientProperties.FRAMES_IN_FLIGHT.defaultValue();
    private Duration backoffCap = ClientProperties.BACKOFF_CAP.defaultValue();
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
      return new TransactionManagerClientConfig(
          ClientProperties.TIMEOUT.check(requestTimeout),
          ClientProperties.CONNECT_TIMEOUT.check(connectTimeout),
          ClientProperties.STALL_TIMEOUT.check(stallTimeout),
          ClientProperties.OUTSTANDING.check(maxOutstanding),
          ClientProperties.FRAMES_IN_FLIGHT.check(maxBatchesInFlight),
          ClientProperties.BACKOFF_CAP.check(backoffCap),
          security);
    }
  }
}
