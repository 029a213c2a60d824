/**
 * The commands {@code quickstart} and {@code bank}: transfers, audits, and a client that is killed.
 */
@NullMarked
package io.lampone.cli.quickstart;

import org.jspecify.annotations.NullMarked;
