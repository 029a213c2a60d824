/**
 * HBase and the transaction manager in one JVM: the quick start and the fixture of the integration
 * tests.
 *
 * <p>{@link io.lampone.embedded.EmbeddedHBase} is the entry point. All servers listen on 127.0.0.1
 * only and keep their data in one folder.
 */
@NullMarked
package io.lampone.embedded;

import org.jspecify.annotations.NullMarked;
