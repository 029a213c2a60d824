package io.lampone.tm.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.wire.Priority;
import io.lampone.tm.core.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AdmissionTest {

  private static final int MAX_OUTSTANDING = 1000;
  private static final int FRAME_BYTES = 16 << 10;
  private static final int RETRY_AFTER_MILLIS = 15;
  private static final Duration LIMIT = Duration.ofMillis(10);
  private static final Duration WINDOW = Duration.ofNanos(Admission.WINDOW_NANOS);

  private final ManualClock clock = new ManualClock();
  private final Admission admission =
      new Admission(
          new AdmissionSettings(LIMIT, 10, Optional.empty(), Duration.ofSeconds(10)),
          MAX_OUTSTANDING,
          1 << 20,
          1 << 20,
          clock.monotonicNanos());
  private final Tenants tenants =
      new Tenants(
          Quotas.parse(List.of("shop requests=100 burst=10 outstanding=5 connections=1")), clock);

  /** Sends far too much, whatever it is told. */
  private final Share flood = new Share();

  /** Sends one small frame in a window. */
  private final Share modest = new Share();

  @Test
  void whoeverComesIsAdmittedWhileThereIsTime() {
    for (int i = 0; i < 1000; i++) {
      assertThat(admit(flood, Priority.BATCH, FRAME_BYTES)).isZero();
      roundOf(Duration.ofMillis(1));
    }
    assertThat(admission.limitsShares()).isFalse();
  }

  @Test
  void oneLongRoundIsACollectorsPauseAndRefusesNobody() {
    for (int i = 0; i < 10; i++) {
      floodOnce();
      admission.roundEnded(Duration.ofMillis(i == 5 ? 200 : 1).toNanos());
      clock.advance(WINDOW);
    }
    assertThat(admission.limitsShares()).isFalse();
    assertThat(admit(flood, Priority.BATCH, FRAME_BYTES)).isZero();
  }

  @Test
  void longRoundsWithLittleWorkAreNotTheRequestsFault() {
    for (int i = 0; i < 10; i++) {
      assertThat(admit(modest, Priority.DEFAULT, 100)).isZero();
      roundOf(Duration.ofMillis(50));
    }
    assertThat(admission.limitsShares()).isFalse();
  }

  @Test
  void aRoundCountsOnlyAsFarAsItsWorkExplains() {
    for (int i = 0; i < 10; i++) {
      // 20 KB in a round: two milliseconds and a half on the slowest machine, whatever the clock
      // says.
      assertThat(admit(modest, Priority.DEFAULT, 20_000)).isZero();
      roundOf(Duration.ofMillis(500));
    }
    assertThat(admission.limitsShares()).isFalse();
    assertThat(admission.delayNanos()).isLessThan(Duration.ofMillis(3).toNanos());
  }

  @Test
  void whenRoundsAreLongTheFloodIsRefusedAndTheModestIsNot() {
    overload(Duration.ofMillis(20), 5);
    assertThat(admission.limitsShares()).isTrue();
    assertThat(floodOnce()).isPositive();
    assertThat(admission.reason()).isEqualTo(Admission.Reason.SHARE);
    for (int i = 0; i < 100; i++) {
      assertThat(admit(modest, Priority.DEFAULT, 100)).isZero();
      floodOnce();
      roundOf(Duration.ofMillis(20));
    }
  }

  @Test
  void batchIsRefusedFirstAndSystemLast() {
    overload(Duration.ofMillis(6), 5);
    assertThat(admit(modest, Priority.BATCH, 100)).isPositive();
    assertThat(admit(modest, Priority.DEFAULT, 100)).isZero();
    overload(Duration.ofMillis(20), 5);
    exhaust(modest);
    assertThat(admit(modest, Priority.DEFAULT, 100)).isPositive();
    assertThat(admit(modest, Priority.SYSTEM, 100)).isZero();
    overload(Duration.ofMillis(50), 5);
    exhaust(modest);
    assertThat(admit(modest, Priority.SYSTEM, 100)).isPositive();
  }

  @Test
  void afterTheStormEverybodyIsFreeAgain() {
    overload(Duration.ofMillis(50), 20);
    assertThat(admission.limitsShares()).isTrue();
    for (int i = 0; i < 100; i++) {
      admit(modest, Priority.DEFAULT, 100);
      roundOf(Duration.ofMillis(1));
    }
    assertThat(admission.limitsShares()).isFalse();
  }

  @Test
  void whoGoesOnAfterARefusalIsNoticed() {
    assertThat(ignores(flood, 7)).isFalse();
    assertThat(ignores(flood, 8)).isTrue();
    clock.advance(Duration.ofMillis(RETRY_AFTER_MILLIS - 1));
    assertThat(ignores(flood, 100)).isTrue();
    clock.advance(Duration.ofMillis(RETRY_AFTER_MILLIS));
    assertThat(ignores(flood, 200)).isFalse();
    // However long the round took: nothing else takes the load off when rounds are long.
    clock.advance(Duration.ofMillis(RETRY_AFTER_MILLIS));
    assertThat(ignores(flood, 201)).isTrue();
  }

  /** It has not heard yet what it was told: whatever has come together was sent before that. */
  @Test
  void framesThatComeTogetherAreRefusedTogether() {
    assertThat(ignores(modest, 7)).isFalse();
    assertThat(ignores(modest, 7)).isFalse();
    assertThat(ignores(modest, 7)).isFalse();
  }

  private boolean ignores(Share share, long round) {
    return admission.ignoresRefusals(share, RETRY_AFTER_MILLIS, round, clock.monotonicNanos());
  }

  @Test
  void outstandingRepliesAreLimitedByPriority() {
    assertThat(admitWaiting(Priority.BATCH, 500)).isPositive();
    assertThat(admitWaiting(Priority.DEFAULT, 500)).isZero();
    assertThat(admitWaiting(Priority.DEFAULT, 800)).isPositive();
    assertThat(admission.reason()).isEqualTo(Admission.Reason.OUTSTANDING);
    assertThat(admitWaiting(Priority.SYSTEM, 800)).isZero();
    assertThat(admitWaiting(Priority.SYSTEM, 1000)).isPositive();
  }

  @Test
  void aTenantHasItsRateAfterItsBurstAndIsToldWhenToComeBack() {
    Tenant shop = tenants.find("shop");
    for (int i = 0; i < 10; i++) {
      assertThat(admit(shop, 1)).isZero();
    }
    int retryAfterMillis = admit(shop, 1);
    assertThat(retryAfterMillis).isBetween(10, 15);
    assertThat(admission.reason()).isEqualTo(Admission.Reason.QUOTA);
    assertThat(admit(tenants.find("bank"), 1)).isZero();
    clock.advance(Duration.ofMillis(retryAfterMillis));
    assertThat(admit(shop, 1)).isZero();
  }

  @Test
  void aFrameBeyondTheBurstIsTakenAndPaidForLater() {
    Tenant shop = tenants.find("shop");
    int taken = 0;
    for (int millis = 0; millis < 10_000; millis++) {
      taken += admit(shop, 50) == 0 ? 50 : 0;
      clock.advance(Duration.ofMillis(1));
    }
    assertThat(taken).isBetween(1_000, 1_000 + 10 + 50);
  }

  /** Finding T2: a quota of requests let nine of them empty the conflict table. */
  @Test
  void aRequestWithManyHashesCostsAsMuchOfTheQuotaAsManyRequests() {
    Tenant shop = tenants.find("shop");
    int bytes = 16_000 * Long.BYTES; // a thousand units, ten seconds of the quota
    assertThat(admit(shop, 1, bytes)).isZero();
    clock.advance(Duration.ofSeconds(9));
    assertThat(admit(shop, 1, bytes)).isPositive();
    assertThat(admission.reason()).isEqualTo(Admission.Reason.QUOTA);
    clock.advance(Duration.ofSeconds(2));
    assertThat(admit(shop, 1, bytes)).isZero();
    assertThat(shop.requests()).isEqualTo(2);
  }

  @Test
  void aTenantsOutstandingRepliesAndConnectionsAreLimited() {
    Tenant shop = tenants.find("shop");
    shop.addOutstanding(5);
    assertThat(admit(shop, 1)).isPositive();
    shop.addOutstanding(-1);
    assertThat(admit(shop, 1)).isZero();
    assertThat(shop.connect()).isTrue();
    assertThat(shop.connect()).isFalse();
    shop.disconnect();
    assertThat(shop.connect()).isTrue();
  }

  @Test
  void changedQuotasHoldForThoseWhoAreThere() {
    Tenant shop = tenants.find("shop");
    assertThat(shop.connect()).isTrue();
    tenants.apply(Quotas.parse(List.of("shop connections=2", "bank requests=1 burst=1")));
    assertThat(shop.connect()).isTrue();
    assertThat(shop.connect()).isFalse();
    tenants.apply(Quotas.parse(List.of("* connections=2")));
    Tenant others = tenants.find("shop");
    assertThat(others).isSameAs(tenants.find("somebody"));
    shop.addOutstanding(7);
    shop.handOver(others, 3);
    shop.handOver(others, 4);
    assertThat(others.connections()).isEqualTo(2);
    assertThat(others.outstanding()).isEqualTo(7);
    assertThat(shop.connections() + shop.outstanding()).isZero();
    assertThat(others.connect()).isFalse();
  }

  private void overload(Duration round, int windows) {
    for (int i = 0; i < windows; i++) {
      floodOnce();
      admit(modest, Priority.DEFAULT, 100);
      roundOf(round);
    }
    admit(new Share(), Priority.SYSTEM, 1);
  }

  /** A window's worth of frames; what the last one was told. */
  private int floodOnce() {
    int told = 0;
    for (int i = 0; i < 20; i++) {
      told = admit(flood, Priority.DEFAULT, FRAME_BYTES);
    }
    return told;
  }

  private void exhaust(Share share) {
    for (int i = 0; i < 100; i++) {
      admit(share, Priority.DEFAULT, FRAME_BYTES);
    }
  }

  private void roundOf(Duration duration) {
    admission.roundEnded(duration.toNanos());
    clock.advance(WINDOW);
  }

  private int admit(Share share, Priority priority, int bytes) {
    return admission.admit(share, tenants.find(""), priority, 1, bytes, 0, clock.monotonicNanos());
  }

  private int admit(Tenant tenant, int requests) {
    return admit(tenant, requests, 100);
  }

  private int admit(Tenant tenant, int requests, int bytes) {
    return admission.admit(
        new Share(), tenant, Priority.DEFAULT, requests, bytes, 0, clock.monotonicNanos());
  }

  private int admitWaiting(Priority priority, int outstanding) {
    return admission.admit(
        modest, tenants.find(""), priority, 1, 100, outstanding, clock.monotonicNanos());
  }
}
