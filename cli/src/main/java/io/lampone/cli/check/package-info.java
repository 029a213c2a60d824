/** {@code lampone check}: checks of a cluster, with remedies. */
@NullMarked
package io.lampone.cli.check;

import org.jspecify.annotations.NullMarked;
