// Package self has the Mage targets of this repository alone. A module that
// imports package tasks does not get them.
package self
