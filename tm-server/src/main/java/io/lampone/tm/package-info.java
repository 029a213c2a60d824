/** The transaction manager process: configuration, and start from a program or a shell. */
@NullMarked
package io.lampone.tm;

import org.jspecify.annotations.NullMarked;
