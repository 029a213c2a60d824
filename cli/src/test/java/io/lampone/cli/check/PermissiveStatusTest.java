package io.lampone.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Findings of {@code lampone check} while security is being enabled. */
class PermissiveStatusTest {

  private static final String MISSING =
      "{\"permissive\":%s,\"unsecuredClients\":3,\"unsecured\":["
          + "{\"principal\":\"shop\",\"host\":\"10.0.0.3\",\"proved\":false,\"tls\":true},"
          + "{\"principal\":\"\",\"host\":\"10.0.0.4\",\"proved\":false,\"tls\":false}],"
          + "\"members\":[{\"address\":\"tm1:1\",\"sinceMillis\":86400000},"
          + "{\"address\":\"tm2:1\",\"sinceMillis\":1}]}";

  @Test
  void itNamesWhoIsMissingAndSinceWhenThePhaseLasts() throws Exception {
    assertThat(of(MISSING.formatted("true")))
        .isEqualTo(
            "authentication or TLS is permissive since 1970-01-02T00:00:00Z; missing: shop from"
                + " 10.0.0.3 without proof, a client without a name from 10.0.0.4 without proof"
                + " without TLS, and 1 more");
  }

  @Test
  void nothingIsSaidWhereEverythingIsRequired() throws Exception {
    assertThat(of(MISSING.formatted("false"))).isEmpty();
    assertThat(of("{}")).isEmpty();
  }

  @Test
  void withoutMissingClients_itSaysSo() throws Exception {
    assertThat(of("{\"permissive\":true}"))
        .isEqualTo("authentication or TLS is permissive; no client is missing");
  }

  private static String of(String status) throws Exception {
    return AskedManagers.permissive(new ObjectMapper().readTree(status), "tm1:1");
  }
}
