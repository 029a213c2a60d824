package io.lampone.tm.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class KerberosExchangeTest {

  @Test
  void aNameIsTheFirstComponentAndTheRealmWhereItIsNotTheServersOwn() {
    assertThat(KerberosExchange.name("alice@OWN.TEST", "OWN.TEST")).contains("alice");
    assertThat(KerberosExchange.name("hbase/a.example@OWN.TEST", "OWN.TEST")).contains("hbase");
    assertThat(KerberosExchange.name("alice@OTHER.TEST", "OWN.TEST")).contains("alice@OTHER.TEST");
    assertThat(KerberosExchange.name("hbase/a@OTHER.TEST", "OWN.TEST"))
        .contains("hbase@OTHER.TEST");
  }

  /** No principal gets the name of another one by what Kerberos lets stand in a component. */
  @Test
  void whatIsNoPlainNameHasNone() {
    for (String principal :
        List.of(
            "root\\/x@OWN.TEST",
            "alice\\@OTHER.TEST@OWN.TEST",
            "a/b/c@OWN.TEST",
            "@OWN.TEST",
            "@OTHER.TEST",
            "/host@OTHER.TEST",
            "alice",
            "al ice@OWN.TEST",
            "x".repeat(65) + "@OWN.TEST")) {
      assertThat(KerberosExchange.name(principal, "OWN.TEST")).as(principal).isEmpty();
    }
  }
}
